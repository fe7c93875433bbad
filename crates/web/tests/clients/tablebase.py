"""A client of the Lichess tablebase service (berserk) against /standard, compared with direct probing (python-chess).

    pip install berserk chess
    everymove tables build KQvKR --syzygy --out tables      # and others, with and without --syzygy
    everymove serve --address 127.0.0.1:8080 --tables tables &
    python tablebase.py http://127.0.0.1:8080 tables KQvKR KPvK KRvK --number 1000

Compared for every position: category, dtz (exact or rounded as the files are) and checkmate flags of the position and of
all its moves, and that the first move keeps the best result. Exit code 0 if all are equal.
"""

import argparse
import random
import sys

import berserk
import chess
import chess.syzygy

PIECES = {"K": chess.KING, "Q": chess.QUEEN, "R": chess.ROOK, "B": chess.BISHOP, "N": chess.KNIGHT, "P": chess.PAWN}
NEGATED = {
    "win": "loss", "loss": "win", "draw": "draw", "cursed-win": "blessed-loss", "blessed-loss": "cursed-win",
    "syzygy-win": "syzygy-loss", "syzygy-loss": "syzygy-win",
}


def position(material, rng):
    """A random legal position of an ending."""
    white, black = material.split("v")
    while True:
        board = chess.Board(None)
        squares = rng.sample(range(64), len(white) + len(black))
        for name, color, square in zip(white + black, [True] * len(white) + [False] * len(black), squares):
            board.set_piece_at(square, chess.Piece(PIECES[name], color))
        board.turn = rng.random() < 0.5
        board.halfmove_clock = rng.choice([0, 0, 0, 10, 60, 95])
        if board.is_valid():
            return board


def category(board, tables):
    """The category of a position and its distance, by the files themselves."""
    if board.is_checkmate():
        dtz = -1
    elif board.is_stalemate() or board.is_insufficient_material():
        dtz = 0
    else:
        dtz = tables.probe_dtz(board)
    if dtz == 0:
        return {"draw"}, 0
    sign = "win" if dtz > 0 else "loss"
    plies = abs(dtz) + board.halfmove_clock
    if plies > 100:
        return {"cursed-win" if dtz > 0 else "blessed-loss"}, dtz
    if plies == 100:
        return {sign, "syzygy-" + sign}, dtz
    return {sign}, dtz


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address")
    parser.add_argument("folder", help="the folder of Syzygy files")
    parser.add_argument("materials", nargs="+")
    parser.add_argument("--number", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    client = berserk.Client(tablebase_url=options.address)
    tables = chess.syzygy.open_tablebase(options.folder)
    wrong = moves = rounded = 0
    for number in range(options.number):
        board = position(options.materials[number % len(options.materials)], rng)
        fen = board.fen()
        answer = client.tablebase.standard(fen)
        faults = []
        expected, dtz = category(board, tables)
        if answer["dtz"] != dtz:
            # A file that stores moves may be a ply off; an exact table of our own is not.
            if answer["precise_dtz"] is None or abs(answer["dtz"] - dtz) > 1:
                faults.append(f"dtz {answer['dtz']} instead of {dtz}")
            rounded += 1
        elif answer["category"] not in expected and answer["moves"]:
            faults.append(f"category {answer['category']} instead of {expected}")
        if len(answer["moves"]) != board.legal_moves.count():
            faults.append("moves are missing")
        for entry in answer["moves"]:
            moves += 1
            move = chess.Move.from_uci(entry["uci"])
            if board.san(move) != entry["san"] or board.is_zeroing(move) != entry["zeroing"]:
                faults.append(f"{entry['uci']} is described wrongly")
            board.push(move)
            expected, dtz = category(board, tables)
            if entry["checkmate"] != board.is_checkmate() or entry["stalemate"] != board.is_stalemate():
                faults.append(f"{entry['uci']}: checkmate or stalemate")
            if entry["dtz"] != dtz:
                if entry["precise_dtz"] is None or abs(entry["dtz"] - dtz) > 1:
                    faults.append(f"{entry['uci']}: dtz {entry['dtz']} instead of {dtz}")
                rounded += 1
            elif entry["category"] not in expected:
                faults.append(f"{entry['uci']}: category {entry['category']} instead of {expected}")
            board.pop()
        if answer["moves"] and NEGATED.get(answer["moves"][0]["category"]) != answer["category"]:
            faults.append("the category is not that of the best move")
        if faults:
            wrong += 1
            print(fen, *faults, sep="\n  ")
    print(f"{options.number} positions, {moves} moves, {rounded} distances exact where the file is rounded, {wrong} positions differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
