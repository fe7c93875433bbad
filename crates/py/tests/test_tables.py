"""Endgame tables against python-chess: legality, its Syzygy prober, and mates by brute force."""

from __future__ import annotations

import pathlib
import pickle
import random
from collections.abc import Iterator

import chess
import chess.syzygy
import everymove
import pytest
from everymove import tables

ENDINGS = {"KQvK": "KQk", "KPvK": "KPk", "KBNvK": "KBNk", "KRvKP": "KRkp"}


def positions(pieces: str, number: int, seed: int) -> Iterator[chess.Board]:
    """Random legal positions of an ending, with either side to move and colours exchanged half the time."""
    rng = random.Random(seed)
    found = 0
    while found < number:
        board = chess.Board(None)
        for square, letter in zip(rng.sample(chess.SQUARES, len(pieces)), pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        board = board.mirror() if rng.random() < 0.5 else board
        if board.is_valid():
            found += 1
            yield board


@pytest.mark.parametrize("material", ENDINGS)
def test_syzygy_values_equal_those_of_python_chess(folder: pathlib.Path, material: str) -> None:
    ours = tables.Tables(folder)
    with chess.syzygy.open_tablebase(str(folder)) as theirs:
        for board in positions(ENDINGS[material], 1500, seed=1):
            wdl, dtz = theirs.probe_wdl(board), theirs.probe_dtz(board)
            assert ours.probe_wdl(board) == ours.probe_wdl(board.fen()) == wdl
            assert ours.probe_dtz(board) == dtz
            exact = ours.dtz(board)
            assert exact.wdl == wdl
            # A Syzygy file may round by a ply; our own tables are exact.
            assert abs(abs(dtz) - (exact.plies or 0)) <= 1
            assert (ours.dtm(board).wdl > 0) == (wdl > 0)


@pytest.mark.parametrize("material", ["KQvK", "KPvK", "KRvKP"])
def test_mates_follow_from_the_moves_of_python_chess(folder: pathlib.Path, material: str) -> None:
    ours = tables.Tables(folder)
    kings_and_less = 0
    for board in positions(ENDINGS[material], 150, seed=2):
        value = ours.dtm(board)
        if board.is_checkmate():
            assert (value.wdl, value.plies) == (-2, 0)
            continue
        if board.is_stalemate():
            assert value == tables.Value(0)
            continue
        children: list[tables.Value | None] = []
        for move in board.legal_moves:
            board.push(move)
            if len(board.piece_map()) == 2 or len(board.piece_map()) < len(ENDINGS[material]):
                kings_and_less += 1
                children.append(tables.Value(0) if len(board.piece_map()) == 2 else ours.dtm(board))
            else:
                children.append(value_after(ours, board))
            board.pop()
        if any(child is None for child in children):
            continue
        known = [child for child in children if child is not None]
        wins = [child.plies + 1 for child in known if child.wdl < 0 and child.plies is not None]
        losses = [child.plies + 1 for child in known if child.wdl > 0 and child.plies is not None]
        if wins:
            assert (value.wdl, value.plies) == (2, min(wins))
        elif len(losses) == len(known):
            assert (value.wdl, value.plies) == (-2, max(losses))
        else:
            assert value == tables.Value(0)
    assert kings_and_less > 0


def value_after(ours: tables.Tables, board: chess.Board) -> tables.Value | None:
    """The value, or nothing where a promotion led to an ending without a table here."""
    try:
        return ours.dtm(board)
    except everymove.InputError:
        return None


def test_probes_have_moves_and_lines(folder: pathlib.Path) -> None:
    board = chess.Board("8/8/8/8/8/2k5/7Q/K7 w - - 0 1")
    found = tables.probe(board, folder, line=True)
    assert (found.material, found.metric, found.value, found.dtm) == ("KQvK", "dtm", "win", 11)
    assert {move.uci for move in found.moves} == {move.uci() for move in board.legal_moves}
    assert found.line is not None
    for san in found.line:
        board.push_san(san)
    assert board.is_checkmate()
    assert len(found.line) == 11
    syzygy = tables.probe(board.root(), folder, syzygy=True)
    assert (syzygy.tables, syzygy.metric, syzygy.value) == ("syzygy", "dtz", "win")


def test_endings_of_pieces_by_their_moves(tmp_path: pathlib.Path) -> None:
    built = tables.build("KAvK", tmp_path, pieces={"A": "archbishop"}, board="10x8")
    assert (built.white_to_move.wins, built.black_to_move.draws) == (364_756, 36_988)
    probed = tables.probe("5k4/10/5K4/10/10/10/10/A9 w", tmp_path, pieces={"A": "BN"}, line=True)
    assert probed.tables == "fairy"
    assert probed.line is not None
    assert len(probed.line) == probed.dtm
    with pytest.raises(everymove.InputError, match="column 2"):
        tables.build("KAvK", tmp_path, pieces={"A": "BX"})


def test_statistics_equal_published_ones(folder: pathlib.Path) -> None:
    stats = tables.stats("KQvK", folder)
    assert (stats.white_to_move.legal, stats.white_to_move.wins) == (144_508, 144_508)
    assert (stats.black_to_move.draws, stats.black_to_move.losses) == (23_048, 200_896)
    # The longest win takes 10 moves.
    assert (stats.white_to_move.max_win_plies, stats.black_to_move.max_loss_plies) == (19, 20)
    wins = [row for row in stats.rows if (row["side"], row["result"]) == ("white", "win")]
    assert sum(row["positions"] for row in wins) == 144_508
    assert max(row["plies"] for row in wins) == 19
    assert all(chess.Board(fen).is_valid() for fen in stats.longest_wins)


def test_files_are_verified(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    found = tables.verify(folder / "KQvK.dtm", folder / "KQvK.rtbw", folder / "KQvK.rtbz")
    assert found
    assert found.valid
    assert found.files == 3
    damaged = bytearray((folder / "KQvK.dtm").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "KQvK.dtm").write_bytes(damaged)
    with pytest.raises(everymove.EverymoveError, match=r"KQvK\.dtm"):
        tables.verify(tmp_path / "KQvK.dtm")


def test_building_again_finds_what_is_there(folder: pathlib.Path) -> None:
    built = tables.build("KQvK", folder)
    assert (built.made, built.found) == ((), ("KQvK",))
    assert built.white_to_move.wins == 144_508
    assert tables.closure("KPvK")[-1] == "KPvK"
    assert set(tables.closure("KPvK")) == {"KPvK", "KQvK", "KRvK", "KBvK", "KNvK"}


def test_values_are_values(folder: pathlib.Path) -> None:
    value = tables.Tables(folder).dtm("8/8/8/8/8/2k5/7Q/K7 w - - 0 1")
    assert value == tables.Value(2, 11)
    assert pickle.loads(pickle.dumps(value)) == value
    assert len({value, tables.Value(2, 11), tables.Value(0)}) == 2
    assert (value.word, repr(value)) == ("win", "Value(win, 11 plies)")
    again = pickle.loads(pickle.dumps(tables.Tables(folder)))
    assert again.dtm("8/8/8/8/8/2k5/7Q/K7 b - - 0 1").wdl == -2


def test_wrong_positions_are_refused(folder: pathlib.Path) -> None:
    ours = tables.Tables(folder)
    for fen, line in [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "not a legal position"),
        ("nonsense", "not a FEN"),
        (chess.STARTING_FEN, "castling"),
        ("8/8/8/3r4/8/2k5/6BQ/K7 w - - 0 1", r"KQBvKR\.dtm"),
    ]:
        with pytest.raises(everymove.InputError, match=line):
            ours.dtm(fen)
    with pytest.raises(everymove.InputError, match="not a legal position"):
        ours.dtm(chess.Board("8/8/8/8/8/1k6/8/K7 w - - 0 1".replace("1k6", "K7")))
    with pytest.raises(AttributeError):
        ours.dtm(5)  # type: ignore[arg-type]
    with pytest.raises(everymove.InputError, match="not a directory"):
        tables.Tables(folder / "none")
    with pytest.raises(everymove.InputError) as wrong:
        tables.build("KQQ", folder)
    assert wrong.value.field == "material"


def test_the_clock_counts_for_plies_to_mate_under_the_fifty_move_rule(tmp_path: pathlib.Path) -> None:
    tables.build("KQvK", tmp_path, metric="dtm50")
    board = chess.Board("8/8/8/8/8/2k5/7Q/K7 w - - 0 1")
    ours = tables.Tables(tmp_path)
    for clock, wdl, plies in [(0, 2, 11), (89, 2, 11), (90, 0, None)]:
        board.halfmove_clock = clock
        found = ours.dtm50(board)
        assert (found.wdl, found.plies) == (wdl, plies)
    probed = tables.probe(board, tmp_path)
    assert (probed.metric, probed.dtm50, probed.dtm) == ("dtm50", 11, None)


def test_plies_to_conversion_count_pawn_moves_and_end_with_a_promotion(tmp_path: pathlib.Path) -> None:
    tables.build("KPvK", tmp_path, metric="dtc")
    board = chess.Board("8/8/4K3/3P4/8/8/8/k7 w - - 0 1")
    found = tables.Tables(tmp_path).dtc(board)
    probed = tables.probe(board, tmp_path, line=True)
    assert (found.word, found.plies) == ("win", 5)
    assert (probed.metric, probed.dtc, probed.dtm) == ("dtc", 5, None)
    assert probed.line is not None
    assert ["=" in move for move in probed.line[:5]] == [False] * 4 + [True]
