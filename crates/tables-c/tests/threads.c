/* Reads positions, one FEN a line, and probes all of them in 8 threads that share one handle; prints a line for each position if all
 * threads found the same. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "everymove_tables.h"

#define THREADS 8
#define MOST 4096
#define LONGEST 8192

static em_tables *tables;
static em_position positions[MOST];
static int count;

static int distance(char *to, em_status status, const em_distance *found) {
    if (status != EM_STATUS_OK) {
        return sprintf(to, " %s,", em_status_name(status));
    }
    return sprintf(to, " %d %u %d,", found->outcome, found->plies, found->exact);
}

static char *line(const em_position *position) {
    char text[LONGEST];
    char *at = text;
    em_wdl wdl;
    em_distance dtz, dtm;
    em_status status = em_probe_wdl(tables, position, &wdl);
    at += status == EM_STATUS_OK ? sprintf(at, "%d,", wdl) : sprintf(at, "%s,", em_status_name(status));
    status = em_probe_dtz(tables, position, &dtz);
    at += distance(at, status, &dtz);
    status = em_probe_dtm(tables, position, &dtm);
    at += distance(at, status, &dtm);
    em_move moves[EM_MAX_MOVES];
    size_t number = 0;
    status = em_probe_moves(tables, position, moves, EM_MAX_MOVES, &number);
    at += sprintf(at, " %s %zu", em_status_name(status), number);
    for (size_t i = 0; i < number; i++) {
        const em_move *m = &moves[i];
        at += sprintf(at, " %s:%d:%d:%d", m->uci, m->category,
                      m->has_dtz ? m->dtz.outcome * (int)m->dtz.plies : 999,
                      m->has_dtm ? m->dtm.outcome * (int)m->dtm.plies : 999);
    }
    return strdup(text);
}

static void *probe_all(void *argument) {
    /* Each thread begins elsewhere. */
    int first = count / THREADS * (int)(size_t)argument;
    char **lines = calloc((size_t)count, sizeof *lines);
    for (int i = 0; i < count; i++) {
        int number = (first + i) % count;
        lines[number] = line(&positions[number]);
    }
    return lines;
}

int main(int argc, char **argv) {
    if (argc != 2 || em_open(argv[1], &tables) != EM_STATUS_OK) {
        fprintf(stderr, "cannot open the tables: %s\n", em_last_error());
        return 2;
    }
    char fen[256];
    while (count < MOST && fgets(fen, sizeof fen, stdin)) {
        fen[strcspn(fen, "\n")] = 0;
        if (em_position_from_fen(fen, &positions[count++]) != EM_STATUS_OK) {
            fprintf(stderr, "%s: %s\n", fen, em_last_error());
            return 2;
        }
    }
    if (count == 0) {
        return 2;
    }
    pthread_t threads[THREADS];
    char **lines[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, probe_all, (void *)i) != 0) {
            return 2;
        }
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        lines[i] = result;
    }
    int differences = 0;
    for (int i = 0; i < count; i++) {
        for (int thread = 1; thread < THREADS; thread++) {
            differences += strcmp(lines[0][i], lines[thread][i]) != 0;
        }
        puts(lines[0][i]);
    }
    em_close(tables);
    if (differences > 0) {
        fprintf(stderr, "%d lines differ between threads\n", differences);
        return 1;
    }
    return 0;
}
