"""Chess endgame tables: built, looked up, counted, verified.

Distances are plies, the move of one side: *dtm* to mate, *dtz* to a capture or pawn move under the fifty-move rule,
*dtm50* to mate under that rule, *dtc* to a conversion (a capture or promotion) or mate.
Positions are FEN texts or boards of python-chess (``chess.Board``), which is not needed otherwise.

>>> import tempfile
>>> from everymove import tables
>>> folder = tempfile.mkdtemp()
>>> tables.build("KQvK", folder).white_to_move.wins
144508
>>> found = tables.probe("8/8/8/8/8/2k5/7Q/K7 w - - 0 1", folder)
>>> found.value, found.dtm, found.moves[0].san
('win', 11, 'Qf4')
>>> tables.Tables(folder).dtm("8/8/8/8/8/2k5/7Q/K7 w - - 0 1")
Value(win, 11 plies)
>>> tables.Tables(folder).values(["8/8/8/8/8/2k5/7Q/K7 b - - 0 1", "8/8/8/8/8/2k5/7R/K7 w - - 0 1"])
[Value(loss, 16 plies), None]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from . import _native
from ._native import Value
from .commands import Ram, ask
from .errors import InputError
from .progress import ProgressOption

__all__ = [
    "Built",
    "MoveValue",
    "PositionLike",
    "Probe",
    "SideCounts",
    "Stats",
    "Tables",
    "Value",
    "Verification",
    "build",
    "closure",
    "probe",
    "stats",
    "verify",
]


def __dir__() -> list[str]:
    return sorted(__all__)


Metric = Literal["dtm", "dtz", "dtm50", "dtc"]


class ChessBoard(Protocol):
    """What is read of a ``chess.Board``."""

    turn: bool
    castling_rights: int
    ep_square: int | None
    halfmove_clock: int

    def fen(self) -> str:
        """Return the position as FEN."""
        ...


PositionLike = str | ChessBoard
"""A FEN, or a ``chess.Board``."""


def fen_of(position: PositionLike) -> str:
    """Return a position as FEN; of a board for Chess960 with castling rights as the files of the rooks.

    Raises:
        InputError: The board is one of another variant, such as ``chess.variant.AtomicBoard``.

    """
    if isinstance(position, str):
        return position
    variant = getattr(position, "uci_variant", "chess")
    if variant != "chess":
        message = f"a board of {variant} is not one of chess"
        raise InputError(message)
    if getattr(position, "chess960", False):
        return str(position.shredder_fen())  # type: ignore[attr-defined]
    return position.fen()


@dataclass(frozen=True)
class SideCounts:
    """Counts of the positions with one side to move."""

    legal: int
    """Legal positions."""
    wins: int
    """Wins of the side to move; for dtz, those within the fifty-move rule."""
    draws: int
    """Positions that neither side wins."""
    losses: int
    """Losses of the side to move; for dtz, those within the fifty-move rule."""
    max_win_plies: int
    """Plies of the longest win; 0 if there is none."""
    max_loss_plies: int
    """Plies of the longest loss; 0 if there is none."""
    cursed_wins: int | None
    """For dtz: wins that the fifty-move rule makes draws."""
    blessed_losses: int | None
    """For dtz: losses that the fifty-move rule makes draws."""


def _side(counts: dict[str, Any]) -> SideCounts:
    names = SideCounts.__dataclass_fields__
    return SideCounts(**{name: counts.get(name) for name in names})  # type: ignore[arg-type]


def _fairy_fields(
    pieces: Mapping[str, str] | None,
    board: str | None,
    stalemate: str | None,
    bare_king: str | None,
    royal: str | None,
    black_royal: str | None,
) -> dict[str, Any]:
    """Return the fields of a request about pieces by their moves."""
    return {
        "piece": [f"{letter}={moves}" for letter, moves in (pieces or {}).items()],
        "board": board,
        "stalemate": stalemate,
        "bare_king": bare_king,
        "royal": royal,
        "black_royal": black_royal,
    }


@dataclass(frozen=True)
class Built:
    """The tables that were built."""

    material: str
    """The ending."""
    metric: Metric
    """What the distances count."""
    file: str
    """The table of the ending."""
    made: tuple[str, ...]
    """The endings whose tables were made."""
    found: tuple[str, ...]
    """The endings whose tables existed."""
    syzygy: tuple[str, ...]
    """The Syzygy files that were written."""
    white_to_move: SideCounts
    """Counts with White to move."""
    black_to_move: SideCounts
    """Counts with Black to move."""
    work: dict[str, int] = field(repr=False)
    """Counters of work."""


def build(
    material: str,
    folder: str | os.PathLike[str] = "tables",
    *,
    metric: Metric | None = None,
    syzygy: bool = False,
    schedule: Literal["scan", "subcycles", "rootsplit", "leapfrog"] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    pieces: Mapping[str, str] | None = None,
    board: str | None = None,
    stalemate: Literal["draw", "win", "loss"] | None = None,
    bare_king: Literal["none", "loss", "shatranj"] | None = None,
    royal: str | None = None,
    black_royal: str | None = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Built:
    """Build the table of an ending, and those it needs, where they do not exist yet.

    Args:
        material: The ending, such as ``"KRBvKR"``.
        folder: The directory of the tables, old and new.
        metric: ``"dtm"``, plies to mate, ``"dtz"``, ``"dtm50"`` or ``"dtc"``; by default dtm, or dtz with Syzygy files.
        syzygy: Also write Syzygy files (``.rtbw``, ``.rtbz``) for other chess programs.
        schedule: The order of the work; the tables are the same. Compared in the lab.
        checkpoint: A directory where unfinished work is saved, and resumed from.
        pieces: Pieces by their moves, such as ``{"A": "BN"}``; this and the following make it an ending of any
            pieces on any board.
        board: Files x ranks, up to ``"16x16"``.
        stalemate: What the side without a move gets that is not attacked.
        bare_king: What a side gets that has its king alone against more men.
        royal: The moves of the kings, if they are others.
        black_royal: The moves of Black's king, if they are others.
        threads: The number of threads.
        ram: The memory budget.
        progress: ``True`` for a bar, or a function.

    Raises:
        InputError: The ending is wrong, or a file cannot be written.
        BudgetError: The ending does not fit ``ram``.

    """
    answer = ask(
        "tables build",
        threads=threads,
        ram=ram,
        progress=progress,
        material=material,
        out=os.fspath(folder),
        metric=metric,
        syzygy=syzygy,
        schedule=schedule,
        checkpoint=None if checkpoint is None else os.fspath(checkpoint),
        **_fairy_fields(pieces, board, stalemate, bare_king, royal, black_royal),
    )
    return Built(
        answer["material"],
        answer["metric"],
        answer["file"],
        tuple(answer["made"]),
        tuple(answer["found"]),
        tuple(answer.get("syzygy") or ()),
        _side(answer["white_to_move"]),
        _side(answer["black_to_move"]),
        {name: int(number) for name, number in answer["work"].items()},
    )


@dataclass(frozen=True)
class MoveValue:
    """A move and its value for the side that makes it."""

    uci: str
    """The move in UCI notation."""
    san: str
    """The move in standard algebraic notation."""
    value: str
    """``win``, ``cursed win``, ``draw``, ``blessed loss`` or ``loss``."""
    distance: int | None
    """Plies; ``None`` for a draw."""


@dataclass(frozen=True)
class Probe:
    """The value of a position and of all its moves."""

    material: str
    """The ending."""
    metric: Metric
    """What the distances count."""
    tables: str
    """The kind of tables that was read: ``dtm``, ``dtz``, ``dtm50``, ``dtc``, ``syzygy`` or ``fairy``."""
    value: str
    """For the side to move: ``win``, ``cursed win``, ``draw``, ``blessed loss`` or ``loss``."""
    dtm: int | None
    """Plies to mate; ``None`` for a draw, or if that is not the metric."""
    dtz: int | None
    """Plies to a capture, a pawn move or mate; ``None`` for a draw, or if that is not the metric."""
    dtm50: int | None
    """Plies to mate under the fifty-move rule, clock 0; ``None`` for a draw, or if that is not the metric."""
    dtc: int | None
    """Plies to a capture, a promotion or mate; ``None`` for a draw, or if that is not the metric."""
    moves: tuple[MoveValue, ...] = field(repr=False)
    """All moves, the best first."""
    line: tuple[str, ...] | None
    """The best play of both sides in standard algebraic notation, if it was asked for."""
    line_uci: tuple[str, ...] | None = field(repr=False)
    """The same in UCI notation."""


def probe(
    position: PositionLike,
    folder: str | os.PathLike[str] = "tables",
    *,
    metric: Metric | None = None,
    syzygy: bool = False,
    line: bool = False,
    pieces: Mapping[str, str] | None = None,
    board: str | None = None,
    stalemate: Literal["draw", "win", "loss"] | None = None,
    bare_king: Literal["none", "loss", "shatranj"] | None = None,
    royal: str | None = None,
    black_royal: str | None = None,
) -> Probe:
    """Return the value of a position and of all its moves; `Tables` is the quick way to the value alone.

    Args:
        position: A FEN, or a ``chess.Board``.
        folder: The directory of the tables.
        metric: The tables to read; by default dtm, or else dtz, Syzygy files, dtm50 or dtc.
        syzygy: Read Syzygy files, even where there is a table of our own.
        line: Also the best play of both sides to the end.
        pieces: Pieces by their moves, as for `build`; the position is then rows and ``w`` or ``b``:
            ``"5k4/10/5K4/10/10/10/10/A9 w"``.
        board: As for `build`.
        stalemate: As for `build`.
        bare_king: As for `build`.
        royal: As for `build`.
        black_royal: As for `build`.

    Raises:
        InputError: The position is wrong, or there is no table of it.

    """
    answer = ask(
        "tables probe",
        threads=1,
        fen=fen_of(position),
        tables=os.fspath(folder),
        metric=metric,
        syzygy=syzygy,
        line=line,
        **_fairy_fields(pieces, board, stalemate, bare_king, royal, black_royal),
    )
    moves = (MoveValue(move["uci"], move["san"], move["value"], move["distance"]) for move in answer["moves"])
    lines = (answer.get("line"), answer.get("line_uci"))
    return Probe(
        answer["material"],
        answer["metric"],
        answer["tables"],
        answer["value"],
        answer.get("dtm"),
        answer.get("dtz"),
        answer.get("dtm50"),
        answer.get("dtc"),
        tuple(moves),
        *(None if moves is None else tuple(moves) for moves in lines),
    )


class Tables:
    """The tables of folders, whose files stay open: finding a position takes microseconds.

    `probe_wdl` and `probe_dtz` have the names and results of ``chess.syzygy.Tablebase``.

    Args:
        folders: The directories of the tables; the first that has a table is used.

    Raises:
        InputError: One is not a directory.

    """

    __slots__ = ("_folders", "_tables", "dtc", "dtm", "dtm50", "dtz", "probe_dtz", "probe_wdl")

    dtm: Callable[[PositionLike], Value]
    """Return the value of a position with its plies to mate, from a table of our own."""
    dtz: Callable[[PositionLike], Value]
    """Return the value of a position with its plies to a zeroing move, from a table of our own."""
    dtm50: Callable[[PositionLike], Value]
    """Return the value of a position with its plies to mate under the fifty-move rule and with its half-move clock."""
    dtc: Callable[[PositionLike], Value]
    """Return the value of a position with its plies to a capture, a promotion or mate, from a table of our own."""
    probe_wdl: Callable[[PositionLike], int]
    """Return 2 (win), 1 (cursed win), 0, -1 (blessed loss) or -2 (loss) for the side to move, from a Syzygy file."""
    probe_dtz: Callable[[PositionLike], int]
    """Return signed plies to a zeroing move from Syzygy files, 0 for a draw; they may be a ply too few."""

    def __init__(self, *folders: str | os.PathLike[str]) -> None:
        self._folders = tuple(os.fspath(folder) for folder in folders or ("tables",))
        self._tables = _native.Tables(self._folders)
        # Bound once: a method of Python around each would double the time of a call.
        self.dtm = self._tables.dtm
        self.dtz = self._tables.dtz
        self.dtm50 = self._tables.dtm50
        self.dtc = self._tables.dtc
        self.probe_wdl = self._tables.syzygy_wdl
        self.probe_dtz = self._tables.syzygy_dtz

    def values(self, positions: Iterable[PositionLike], metric: Metric = "dtm") -> list[Value | None]:
        """Return the values of many positions, ``None`` where no table has one.

        Args:
            positions: FENs, or boards of python-chess.
            metric: What the distances count.

        Raises:
            InputError: A position is wrong.
            MachineError: A table cannot be read or is damaged.

        """
        return self._tables.values([fen_of(position) for position in positions], metric)

    def __reduce__(self) -> tuple[type[Tables], tuple[str, ...]]:
        return (Tables, self._folders)

    def __repr__(self) -> str:
        return f"Tables({', '.join(map(repr, self._folders))})"


@dataclass(frozen=True)
class Stats:
    """What a table holds."""

    material: str
    """The ending."""
    metric: Metric
    """What the distances count."""
    counting: str
    """What is counted: ``positions``, ``classes`` or ``labelled``."""
    white_to_move: SideCounts
    """Counts with White to move."""
    black_to_move: SideCounts
    """Counts with Black to move."""
    longest_wins: tuple[str, ...]
    """Positions of the longest wins, as FEN."""
    mutual_zugzwangs: int
    """Mutual zugzwangs up to symmetry."""
    zugzwang_examples: tuple[str, ...]
    """Some of them, as FEN."""
    rows: tuple[dict[str, Any], ...] = field(repr=False)
    """The histogram, a dictionary for each side to move, result and distance with the keys ``side``, ``result``,
    ``plies`` and ``positions``: ``pandas.DataFrame(stats.rows)``."""


def stats(
    material: str,
    folder: str | os.PathLike[str] = "tables",
    *,
    metric: Metric | None = None,
    count: Literal["positions", "classes", "labelled"] | None = None,
    number: int | None = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Stats:
    """Count what a table holds: results by distance, longest wins, mutual zugzwangs.

    Args:
        material: The ending, such as ``"KRBvKR"``, or a table file.
        folder: The directory of the tables.
        metric: The table to read; by default dtm, or else dtz, dtm50 or dtc.
        count: Every position, positions up to symmetry (``"classes"``), or with like pieces distinguished.
        number: How many positions of each kind are listed; by default 3.
        threads: The number of threads.
        ram: The memory budget.
        progress: ``True`` for a bar, or a function.

    """
    answer = ask(
        "tables stats",
        threads=threads,
        ram=ram,
        progress=progress,
        material=material,
        tables=os.fspath(folder),
        metric=metric,
        count=count,
        number=number,
    )
    rows = [
        {"side": side, "result": result, "plies": int(plies), "positions": positions}
        for side in ("white", "black")
        for result, name in (("win", "wins_by_plies"), ("loss", "losses_by_plies"))
        for plies, positions in sorted(answer[f"{side}_histogram"][name].items(), key=lambda item: int(item[0]))
    ]
    return Stats(
        answer["material"],
        answer["metric"],
        answer["counting"],
        _side(answer["white_to_move"]),
        _side(answer["black_to_move"]),
        tuple(answer["longest_wins"]),
        answer["mutual_zugzwangs"],
        tuple(answer["zugzwang_examples"]),
        tuple(rows),
    )


@dataclass(frozen=True)
class Verification:
    """The result of verifying tables."""

    valid: bool
    """Whether every value follows from the rules of chess."""
    files: int
    """Number of files."""
    wrong: tuple[str, ...]
    """The first wrong value of each file that has one."""
    without_dtz: tuple[str, ...]
    """WDL files without their DTZ file: that their wins make progress was not verified."""

    def __bool__(self) -> bool:
        """Return whether all files are valid."""
        return self.valid


def verify(
    *files: str | os.PathLike[str],
    every: int | None = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Verification:
    """Derive every value of tables again from the rules of chess, by another library's moves.

    Args:
        *files: Table files, or directories of them.
        every: Set up every n-th position on a board of its own, which is slow; by default a scan of all positions.
        threads: The number of threads.
        ram: The memory budget.
        progress: ``True`` for a bar, or a function.

    """
    names = [os.fspath(file) for file in files]
    answer = ask("tables verify", threads=threads, ram=ram, progress=progress, files=names, every=every)
    return Verification(answer["valid"], answer["files"], tuple(answer["wrong"]), tuple(answer["without_dtz"]))


def closure(material: str) -> tuple[str, ...]:
    """Return the endings whose tables an ending needs, itself included.

    >>> from everymove import tables
    >>> tables.closure("KRvK")
    ('KRvK',)
    """
    return tuple(ask("tables closure", threads=1, material=material)["closure"])
