/* Prints what endgame tables store of a position and of its moves:
 *
 *   cc -std=c11 probe.c -I ../include -L ../../../target/release -leverymove_tables_c -o probe
 *   LD_LIBRARY_PATH=../../../target/release ./probe FOLDERS "8/8/8/8/8/2k5/7Q/K7 w - - 0 1"
 */
#include <stdio.h>

#include "everymove_tables.h"

/* Indexed by em_wdl, em_category: value - smallest value. */
static const char *const WDL[] = {"loss", "blessed loss", "draw", "cursed win", "win"};
static const char *const CATEGORY[] = {
    "loss", "loss or blessed loss", "loss, or draw by fifty moves", "blessed loss", "draw",
    "cursed win", "win, or draw by fifty moves", "win or cursed win", "win", "unknown"};

static int fail(const char *what, em_status status) {
    fprintf(stderr, "%s: %s: %s\n", what, em_status_name(status), em_last_error());
    return 2;
}

static void show(const char *name, em_status status, const em_distance *found) {
    if (status == EM_STATUS_OK && found->outcome == 0) {
        printf("%s: draw\n", name);
    } else if (status == EM_STATUS_OK) {
        printf("%s: %s in %u plies%s\n", name, found->outcome > 0 ? "win" : "loss", found->plies,
               found->exact ? "" : " or one more");
    } else {
        printf("%s: %s\n", name, em_status_name(status));
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s FOLDERS FEN\n", argv[0]);
        return 2;
    }
    em_position position;
    em_status status = em_position_from_fen(argv[2], &position);
    if (status != EM_STATUS_OK) {
        return fail("position", status);
    }
    em_tables *tables = NULL;
    status = em_open(argv[1], &tables);
    if (status != EM_STATUS_OK) {
        return fail("tables", status);
    }
    printf("endings of up to %u men\n", em_largest(tables));

    em_wdl wdl;
    status = em_probe_wdl(tables, &position, &wdl);
    printf("value: %s\n", status == EM_STATUS_OK ? WDL[wdl - EM_WDL_LOSS] : em_status_name(status));
    em_distance distance;
    status = em_probe_dtz(tables, &position, &distance);
    show("dtz", status, &distance);
    status = em_probe_dtm(tables, &position, &distance);
    show("dtm", status, &distance);
    status = em_probe_dtm50(tables, &position, &distance);
    show("dtm50", status, &distance);

    em_move moves[EM_MAX_MOVES];
    size_t number;
    status = em_probe_moves(tables, &position, moves, EM_MAX_MOVES, &number);
    if (status != EM_STATUS_OK) {
        em_close(tables);
        return fail("moves", status);
    }
    for (size_t i = 0; i < number; i++) {
        printf("%-5s %s\n", moves[i].uci, CATEGORY[moves[i].category - EM_CATEGORY_LOSS]);
    }
    em_close(tables);
    return 0;
}
