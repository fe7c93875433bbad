/* The C interface of everymove's endgame tables and of Syzygy files; docs/c.md describes it.
 *
 * Made of the sources of the crate everymove-tables-c by cbindgen: do not edit. */

#ifndef EVERYMOVE_TABLES_H
#define EVERYMOVE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The value of a square that is none.
#define EM_NO_SQUARE 64

// The most legal moves of a chess position, rounded up: an array of this length always suffices.
#define EM_MAX_MOVES 256

// What a function returns. Anything but `EM_STATUS_OK` leaves the results unwritten; `em_last_error` has the reason in words.
typedef enum em_status {
  // The results are written.
  EM_STATUS_OK = 0,
  // No table of the folders determines the value. Positions with castling rights are in no table.
  EM_STATUS_NO_TABLE = 1,
  // The position is not legal: kings missing, the side not to move in check, a pawn on the first or last rank.
  EM_STATUS_BAD_POSITION = 2,
  // A null pointer, a text that is not a FEN, or an array that is too small.
  EM_STATUS_BAD_ARGUMENT = 3,
  // A table is damaged, or is not what its name says.
  EM_STATUS_DAMAGED = 4,
  // The system could not read a file or a folder.
  EM_STATUS_IO = 5,
  // A fault of this library.
  EM_STATUS_INTERNAL = 6,
} em_status;

// The value of a position for the side to move under the fifty-move rule, the clock being 0.
typedef enum em_wdl {
  // It loses.
  EM_WDL_LOSS = -2,
  // It would lose, but the fifty-move rule makes it a draw.
  EM_WDL_BLESSED_LOSS = -1,
  // Neither side wins.
  EM_WDL_DRAW = 0,
  // It would win, but the fifty-move rule makes it a draw.
  EM_WDL_CURSED_WIN = 1,
  // It wins.
  EM_WDL_WIN = 2,
} em_wdl;

// The value of a move under the fifty-move rule, the clock of the position counted, for the side that makes it. Better values
// have larger numbers, `EM_CATEGORY_UNKNOWN` excepted.
typedef enum em_category {
  // It loses.
  EM_CATEGORY_LOSS = -4,
  // It loses, or the fifty-move rule makes it a draw: the distance, which a Syzygy file rounds, does not say which.
  EM_CATEGORY_LOSS_OR_BLESSED = -3,
  // It loses without the fifty-move rule, which may make it a draw: only the distance to mate is known.
  EM_CATEGORY_MAYBE_LOSS = -2,
  // It would lose, but the fifty-move rule makes it a draw.
  EM_CATEGORY_BLESSED_LOSS = -1,
  // Neither side wins.
  EM_CATEGORY_DRAW = 0,
  // It would win, but the fifty-move rule makes it a draw.
  EM_CATEGORY_CURSED_WIN = 1,
  // It wins without the fifty-move rule, which may make it a draw: only the distance to mate is known.
  EM_CATEGORY_MAYBE_WIN = 2,
  // It wins, or the fifty-move rule makes it a draw: the distance, which a Syzygy file rounds, does not say which.
  EM_CATEGORY_WIN_OR_CURSED = 3,
  // It wins.
  EM_CATEGORY_WIN = 4,
  // No table has the position after the move.
  EM_CATEGORY_UNKNOWN = 5,
} em_category;

// The tables of some folders. Files are opened on first use and stay open; blocks that were decoded are cached.
typedef struct em_tables em_tables;

// A chess position. Bit `8 * rank + file` of a bitboard is a square, both counted from 0: a1 is bit 0, h1 bit 7, h8 bit 63.
typedef struct em_position {
  // The white pieces.
  uint64_t white;
  // The black pieces.
  uint64_t black;
  // The kings of both sides.
  uint64_t kings;
  // The queens of both sides.
  uint64_t queens;
  // The rooks of both sides.
  uint64_t rooks;
  // The bishops of both sides.
  uint64_t bishops;
  // The knights of both sides.
  uint64_t knights;
  // The pawns of both sides.
  uint64_t pawns;
  // Plies since the last capture or pawn move. Only `em_probe_dtm50` and `em_probe_moves` count them.
  uint32_t clock;
  // The square behind a pawn that has just made a double step, or `EM_NO_SQUARE`.
  uint8_t en_passant;
  // 1 if White is to move, 0 if Black is.
  uint8_t white_to_move;
  // 1 if any side may still castle, otherwise 0.
  uint8_t may_castle;
} em_position;

// A distance in plies and who wins.
typedef struct em_distance {
  // 1: the side to move wins, 0: draw, -1: the other side wins; without the fifty-move rule, but for `em_probe_dtm50`.
  int32_t outcome;
  // Plies, the moves of both sides counted; 0 for a draw, and for a side that is checkmated.
  uint32_t plies;
  // Whether `plies` is exact. Otherwise it comes from a Syzygy file that stores moves, and may be one too few.
  bool exact;
} em_distance;

// A legal move and the value of the position after it.
typedef struct em_move {
  // The square that the piece leaves, 0 (a1) to 63 (h8).
  uint8_t from;
  // The square that it reaches.
  uint8_t to;
  // 'q', 'r', 'b' or 'n' for a promotion, otherwise 0.
  uint8_t promotion;
  // Whether it is a capture or a pawn move, which sets the clock to 0.
  bool zeroing;
  // Whether it mates.
  bool mates;
  // Whether `dtz` is known.
  bool has_dtz;
  // Whether `dtm` is known.
  bool has_dtm;
  // The move in the notation of UCI, for example "e7e8q", with a zero byte at the end.
  char uci[6];
  // The value for the side that makes the move.
  enum em_category category;
  // Plies from the position after the move to the next capture, pawn move or mate. Its `outcome` is that of the side that makes the move.
  struct em_distance dtz;
  // Plies from the position after the move to mate. Its `outcome` is that of the side that makes the move.
  struct em_distance dtm;
} em_move;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the message of the last call of this thread that failed, in English, UTF-8; an empty text if none has failed. It is valid until
// the next call that fails in the same thread, and must not be freed.
const char *em_last_error(void);

// Returns the name of a status, for example "no table". It is valid for ever.
const char *em_status_name(int32_t status);

// Reads a FEN, for example "8/8/8/8/8/2k5/7Q/K7 w - - 0 1", into `*position`.
//
// # Safety
// `fen` is null or points to a text that ends with a zero byte, `position` is null or points to memory for an `em_position`.
enum em_status em_position_from_fen(const char *fen,
                                    struct em_position *position);

// Opens the tables of folders, whose names are separated as in the variable PATH of the system (by `:` on Linux), into `*tables`. Files of
// both kinds are used, everymove's own (.dtm, .dtz, .dtm50) and Syzygy's (.rtbw, .rtbz); those that are added later are missed. Captures
// lead into smaller endings, whose files must be there too. A folder without tables is no error: see `em_largest`. `*tables` is null
// after a failure.
//
// # Safety
// `folders` is null or points to a text that ends with a zero byte, `tables` is null or points to memory for a pointer.
enum em_status em_open(const char *folders,
                       struct em_tables **tables);

// Closes tables and frees their memory. Null is allowed.
//
// # Safety
// `tables` is null or comes from `em_open` and is not used any more, by any thread.
void em_close(struct em_tables *tables);

// Returns the most pieces, kings included, of an ending that the folders had a table of when they were opened; 0 if there was none, or if
// `tables` is null.
//
// # Safety
// `tables` is null or comes from `em_open`.
uint32_t em_largest(const struct em_tables *tables);

// Writes the value of a position to `*wdl`: from Syzygy files, from own tables of plies to a zeroing move, or from own tables of plies to
// mate, which determine wins of at most 100 plies and draws. The clock of the position is taken as 0.
//
// # Safety
// The pointers are null, or `tables` comes from `em_open`, `position` points to a position and `wdl` to memory for the result.
enum em_status em_probe_wdl(const struct em_tables *tables,
                            const struct em_position *position,
                            enum em_wdl *wdl);

// Writes the plies to the next capture, pawn move or mate, for the side that wins the quickest that keeps the win, to `*distance`: from
// own tables, where they are exact, or from Syzygy files. More than 100 plies: the fifty-move rule makes it a draw. The clock of the
// position is taken as 0; with a clock of `c` it is won if `c` and the plies are together at most 100.
//
// # Safety
// As `em_probe_wdl`.
enum em_status em_probe_dtz(const struct em_tables *tables,
                            const struct em_position *position,
                            struct em_distance *distance);

// Writes the plies to mate, without the fifty-move rule, to `*distance`: from own tables.
//
// # Safety
// As `em_probe_wdl`.
enum em_status em_probe_dtm(const struct em_tables *tables,
                            const struct em_position *position,
                            struct em_distance *distance);

// Writes the plies to mate under the fifty-move rule, which makes a game a draw after 100 plies without a capture or pawn move unless the last
// of them mates, to `*distance`: from own tables (.dtm50). The clock of the position is counted.
//
// # Safety
// As `em_probe_wdl`.
enum em_status em_probe_dtm50(const struct em_tables *tables,
                              const struct em_position *position,
                              struct em_distance *distance);

// Writes all legal moves of a position with their values, the best first, to `moves`, an array of `capacity` entries, and their number to
// `*number`. The clock of the position is counted. Moves whose value no table has are among them, as `EM_CATEGORY_UNKNOWN`.
//
// # Safety
// As `em_probe_wdl`; `moves` points to memory for `capacity` entries, `number` to memory for the result.
enum em_status em_probe_moves(const struct em_tables *tables,
                              const struct em_position *position,
                              struct em_move *moves,
                              size_t capacity,
                              size_t *number);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* EVERYMOVE_TABLES_H */
