"""The engine under the conventions of python-chess, and as a UCI program under python-chess itself."""

from __future__ import annotations

import pathlib
import shutil
import sys
import threading

import chess
import chess.engine
import everymove
import pytest
from everymove import engine
from everymove.engine import Engine

MATE = "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1"


def test_moves_and_scores_of_a_fen() -> None:
    one = Engine(threads=1)
    played = one.play(MATE, depth=4)
    assert (played.move, played.san) == ("e1e8", "Re8#")
    info = one.analyse(MATE, depth=4)
    assert info["score"] == engine.Score(None, 1)
    assert info["pv"][0] == "e1e8"
    lines = one.analyse(MATE, depth=3, multipv=3)
    assert [line["multipv"] for line in lines] == [1, 2, 3]
    black = one.analyse("k3r3/8/8/8/8/8/5PPP/6K1 b - - 0 1", depth=4)
    assert black["score"] == engine.Score(None, 1)
    over = one.play("4R1k1/5ppp/8/8/8/8/8/K7 b - - 0 1", depth=2)
    assert over.move is None
    assert over.info["pv"] == []


def test_boards_of_python_chess() -> None:
    with Engine(threads=2) as two:
        board = chess.Board()
        for san in ("f3", "e5", "g4"):
            board.push_san(san)
        result = two.play(board, chess.engine.Limit(depth=4))
        assert isinstance(result, chess.engine.PlayResult)
        assert result.move == chess.Move.from_uci("d8h4")
        info = two.analyse(board, chess.engine.Limit(depth=4))
        assert info["score"].white() == chess.engine.Mate(-1)
        assert info["score"].is_mate()
        assert info["pv"] == [chess.Move.from_uci("d8h4")]
        lines = two.analyse(board, chess.engine.Limit(nodes=5000), multipv=2)
        assert len(lines) == 2
        assert all(move in board.legal_moves for line in lines for move in line["pv"][:1])
        assert two.play(board, time=0.05, root_moves=[chess.Move.from_uci("a7a6")]).move == chess.Move.from_uci("a7a6")
        timed = chess.engine.Limit(white_clock=5, black_clock=1, black_inc=0.1)
        assert two.play(board, timed).move in list(board.legal_moves)


def test_searches_are_reproducible_and_keep_the_hash_table() -> None:
    first, other = Engine(threads=1), Engine(threads=1)
    nodes = [e.analyse(chess.STARTING_FEN, depth=8)["nodes"] for e in (first, other)]
    assert nodes[0] == nodes[1]
    assert first.analyse(chess.STARTING_FEN, depth=8)["nodes"] < nodes[0]
    first.clear()
    assert first.analyse(chess.STARTING_FEN, depth=8)["nodes"] == nodes[0]


def test_updates_and_weak_play() -> None:
    depths: list[int] = []
    Engine(threads=1).analyse(chess.STARTING_FEN, depth=6, updates=lambda infos: depths.append(infos[0]["depth"]))
    assert depths == sorted(depths)
    assert depths[-1] == 6
    board = chess.Board()
    weak = Engine(threads=1).play(board, nodes=10_000, elo=800)
    assert weak.move is not None
    assert weak.move in board.legal_moves


@pytest.mark.parametrize("strategy", engine.strategies())
def test_every_strategy_finds_the_mate(strategy: str) -> None:
    assert Engine(threads=2, strategy=strategy).play(MATE, depth=5).move == "e1e8"


def test_tables_are_used(folder: pathlib.Path) -> None:
    fen, root = "8/8/8/3p4/8/2k5/7Q/K7 w - - 0 1", "8/8/8/8/8/2k5/7Q/K7 w - - 0 1"
    for options in ({"tables": folder}, {"syzygy_path": folder}):
        info = Engine(threads=1, **options).analyse(fen, depth=3)  # type: ignore[arg-type]
        assert info["tbhits"] > 0
    assert Engine(threads=1, tables=folder).analyse(root, depth=3)["score"].mate == 6


def test_wrong_arguments() -> None:
    with pytest.raises(everymove.InputError, match="nothing limits"):
        Engine().play(MATE)
    with pytest.raises(everymove.InputError, match="strategy"):
        Engine(strategy="none")
    with pytest.raises(everymove.InputError) as wrong:
        Engine().play("nonsense", depth=1)
    assert wrong.value.field == "fen"
    with pytest.raises(everymove.InputError, match="not a legal move"):
        Engine().play(MATE, depth=1, moves=["e2e4"])
    with pytest.raises(everymove.InputError, match="hash"):
        Engine(hash="900T")


def test_one_engine_serves_many_threads() -> None:
    shared = Engine(threads=1)
    moves: list[str | None] = []
    workers = [threading.Thread(target=lambda: moves.append(shared.play(MATE, depth=4).move)) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert moves == ["e1e8"] * 6


def test_perft_equals_python_chess() -> None:
    def leaves(board: chess.Board, depth: int) -> int:
        if depth == 0:
            return 1
        total = 0
        for move in board.legal_moves:
            board.push(move)
            total += leaves(board, depth - 1)
            board.pop()
        return total

    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    assert engine.perft(2, fen) == leaves(chess.Board(fen), 2) == 2039
    assert engine.perft(5) == 4_865_609


def test_strategies_are_compared() -> None:
    rows = engine.compare(positions=2, strategies=["Sequential", "YBWC"], depth=5, threads=2)
    assert [row["strategy"] for row in rows] == ["Sequential", "YBWC"] * 2
    assert all(row["nodes"] > 0 for row in rows)


@pytest.mark.parametrize("command", [[sys.executable, "-m", "everymove.uci"], ["everymove-uci"]])
def test_python_chess_drives_the_program(command: list[str]) -> None:
    if len(command) == 1:
        beside = pathlib.Path(sys.executable).with_name(command[0])
        command = [str(beside) if beside.exists() else shutil.which(command[0]) or command[0]]
    with chess.engine.SimpleEngine.popen_uci(command) as program:
        program.configure({"Threads": 1, "Hash": 16})
        board = chess.Board(MATE)
        assert program.play(board, chess.engine.Limit(depth=4)).move == chess.Move.from_uci("e1e8")
        info = program.analyse(board, chess.engine.Limit(depth=4))
        score = info.get("score")
        assert score is not None
        assert score.white() == chess.engine.Mate(1)


def test_boards_of_chess960_are_read_and_those_of_other_variants_refused() -> None:
    """A board of Chess960 castles by its own rules; one of other rules is refused with its name."""
    import chess.variant

    board = chess.Board("2rk1r2/pppppppp/8/8/8/8/PPPPPPPP/2RK1R2 w FCfc - 0 1", chess960=True)
    board.push_uci("d1f1")
    with Engine() as engine:
        move = engine.play(board, nodes=200).move
        assert move is not None
        assert move in board.legal_moves
        assert engine.play("2rk1r2/pppppppp/8/8/8/8/PPPPPPPP/2RK1R2 w FCfc - 0 1", nodes=200).move is not None
        for variant in (chess.variant.AtomicBoard(), chess.variant.SuicideBoard(), chess.variant.HordeBoard()):
            with pytest.raises(everymove.InputError, match=f"a board of {variant.uci_variant} is not one of chess"):
                engine.play(variant, nodes=200)
