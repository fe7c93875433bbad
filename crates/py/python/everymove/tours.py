"""Knight's tours on any board: counted, found, listed, drawn at random, by number, symmetric, verified.

A *tour* visits every square once. A *closed* tour ends a move away from its start. Tours are *undirected* unless
``directed`` is given: a tour and its reverse are one.

>>> from everymove import tours
>>> tours.count("6x6", closed=True)
9862
>>> tour = tours.find("6x6", closed=True)
>>> tour.steps.shape, tour.squares[:3]
((6, 6), ('a1', 'c2', 'e1'))
"""

from __future__ import annotations

import builtins
import random
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

from . import _native
from ._native import Tour, Tours
from .commands import Ram, ask, fields_text, ram_text
from .progress import ProgressOption, watching

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Classes",
    "Symmetric",
    "Tour",
    "Tours",
    "Verification",
    "classes",
    "complete",
    "count",
    "count_by_start",
    "exists",
    "find",
    "list",
    "list_symmetric",
    "rank",
    "sample",
    "symmetric",
    "unrank",
    "verify",
]


def __dir__() -> builtins.list[str]:
    return sorted(__all__)


Board = str | tuple[int, int]
"""A board as text, ``"8x8"`` (rows x columns), or as ``(rows, columns)``."""

Leaper = str | tuple[int, int] | None
"""The piece: it leaps a squares one way and b the other; by default the knight, ``(1, 2)``."""

Holes = str | Iterable[str] | None
"""Squares that are missing: ``"c3,d4"`` or ``["c3", "d4"]``."""

Rotation = Literal["quarter", "half"]


def _board(board: Board) -> str:
    return board if isinstance(board, str) else "x".join(str(side) for side in board)


def _leaper(leaper: Leaper) -> str | None:
    return leaper if leaper is None or isinstance(leaper, str) else ",".join(str(leg) for leg in leaper)


def _holes(holes: Holes) -> str | None:
    if holes is None or isinstance(holes, str):
        return holes or None
    return ",".join(holes) or None


def _fields(board: Board, leaper: Leaper, piece: str | None, holes: Holes, **more: Any) -> dict[str, Any]:
    return {"board": _board(board), "leaper": _leaper(leaper), "piece": piece, "holes": _holes(holes), **more}


def exists(
    board: Board, closed: bool = False, *, leaper: Leaper = None, piece: str | None = None, holes: Holes = None
) -> bool | None:
    """Return whether there is a tour, as far as theorems say; ``None`` where no theorem known here settles it.

    >>> from everymove import tours
    >>> tours.exists("4x10", closed=True), tours.exists("3x10", closed=True)
    (False, True)
    """
    answer = ask("tours exists", **_fields(board, leaper, piece, holes, closed=closed))
    return {"yes": True, "no": False}.get(answer["exists"])


def count(
    board: Board,
    closed: bool = False,
    *,
    directed: bool = False,
    start: str | None = None,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    method: Literal["auto", "search", "frontier", "columns"] | None = None,
    checkpoint: str | None = None,
    work: str | None = None,
    disk: int | str | None = None,
    modulus: int | None = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> int:
    """Return the number of tours, exactly, of any size.

    Args:
        board: ``"8x8"`` or ``(8, 8)``: rows x columns.
        closed: Closed tours instead of open ones.
        directed: Count a tour and its reverse as two.
        start: Only open tours that start on this square, in one direction.
        leaper: Another piece than the knight, such as ``(1, 4)``.
        piece: The same in Betza's notation, such as ``"WF"``, or by name, such as ``"king"``.
        holes: Squares that are missing.
        method: ``"search"`` visits every tour, ``"frontier"`` counts without listing, ``"columns"`` likewise on boards
            of few rows and many columns; by default the quickest.
        checkpoint: A directory where the state of a long count is saved, and resumed from.
        work: A directory for layers that do not fit ``ram``; by default that of ``checkpoint``.
        disk: The bytes that these files may take, or text such as ``"20G"``; by default half of what is free.
        modulus: Count modulo this prime below 2^31.
        threads: The number of threads; by default as many as there are cores.
        ram: The memory that the work may take, in bytes or as text such as ``"2G"``.
        progress: ``True`` for a bar, or a function that is called with a `Progress`.

    Raises:
        InputError: An argument is wrong.
        BudgetError: The count does not fit ``ram``.

    >>> from everymove import tours
    >>> tours.count("6x6", closed=True), tours.count((5, 6))
    (9862, 18784)

    """
    fields = _fields(board, leaper, piece, holes, closed=closed, directed=directed, start=start, method=method)
    answer = ask(
        "tours count",
        threads=threads,
        ram=ram,
        progress=progress,
        checkpoint=checkpoint,
        work=work,
        disk=None if disk is None else str(disk),
        modulus=modulus,
        **fields,
    )
    return int(answer["count"])


def count_by_start(
    board: Board,
    *,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> dict[str, int]:
    """Return the number of directed open tours from each square, by its name.

    >>> from everymove import tours
    >>> tours.count_by_start("5x5")["a1"]
    304
    """
    fields = _fields(board, leaper, piece, holes, by_start=True)
    answer = ask("tours count", threads=threads, ram=ram, progress=progress, **fields)
    return {square: int(number) for square, number in answer["by_start"].items()}


@dataclass(frozen=True)
class Classes:
    """Undirected tours up to the symmetries of their board."""

    tours: int
    """Undirected tours."""
    classes: int
    """Classes: tours that a symmetry of the board maps onto each other are one."""
    asymmetric: int | None
    """Classes of tours that only the identity maps onto themselves, where that is known."""
    binary: int | None
    """Classes of tours that one other symmetry maps onto themselves, where that is known."""
    quaternary: int | None
    """Classes of tours that the quarter turns map onto themselves, where that is known."""


def classes(
    board: Board,
    closed: bool = False,
    *,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Classes:
    """Count the tours up to the symmetries of the board.

    >>> from everymove import tours
    >>> tours.classes("6x6", closed=True).classes
    1245
    """
    answer = ask(
        "tours count", threads=threads, ram=ram, progress=progress, board=_board(board), closed=closed, classes=True
    )
    by = answer.get("by_symmetry") or {}
    known = {name: int(number) for name, number in by.items()}
    return Classes(
        int(answer["count"]),
        int(answer["classes"]),
        known.get("asymmetric"),
        known.get("binary"),
        known.get("quaternary"),
    )


def find(
    board: Board,
    closed: bool = False,
    *,
    start: str | None = None,
    end: str | None = None,
    seed: int = 0,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Tour:
    """Return one tour, of boards of up to 10^8 squares and more.

    Args:
        board: ``"8x8"`` or ``(8, 8)``: rows x columns.
        closed: A closed tour.
        start: The square of the first step.
        end: The square of the last step of an open tour.
        seed: Other seeds may give other tours, equal seeds give the same.
        leaper: Another piece than the knight.
        piece: The same in Betza's notation, or by name.
        holes: Squares that are missing.
        threads: The number of threads.
        ram: The memory budget.
        progress: ``True`` for a bar, or a function.

    Raises:
        NoSolution: There is none; ``reason`` names the theorem, or says that all possibilities were tried.
        InputError: An argument is wrong.

    >>> from everymove import tours
    >>> len(tours.find("100x100"))
    10000

    """
    fields = _fields(board, leaper, piece, holes, closed=closed, start=start, end=end, seed=seed)
    with watching(progress) as watcher:
        return _native.find_tour(fields_text(fields), threads, ram_text(ram), watcher)


def list(
    board: Board,
    closed: bool = False,
    *,
    directed: bool = False,
    start: str | None = None,
    end: str | None = None,
    number: int | None = None,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    threads: int | None = None,
    ram: Ram = None,
) -> Tours:
    """Return an iterator over all tours; they are found while they are read, in an order that never changes.

    Memory is that of some hundred tours, however many there are. A loop that is left early ends the search once the
    iterator is gone, or at ``close()``.

    >>> from everymove import tours
    >>> sum(1 for tour in tours.list("5x5"))
    864
    >>> next(tours.list("5x6")).start
    'a1'
    """
    fields = _fields(board, leaper, piece, holes, closed=closed, start=start, end=end, directed=directed, number=number)
    return _native.list_tours(fields_text(fields), threads, ram_text(ram))


_kept: OrderedDict[tuple[type, str], Any] = OrderedDict()
_kept_lock = threading.Lock()
_KEPT = 3
"""The number of boards whose data stay in memory; those that were not used for the longest time are dropped."""

_Made = TypeVar("_Made", _native.Sampler, _native.Drawer)


def _made(
    kind: type[_Made],
    board: Board,
    closed: bool,
    leaper: Leaper,
    piece: str | None,
    holes: Holes,
    threads: int | None,
    ram: Ram,
    progress: ProgressOption,
) -> _Made:
    request = fields_text(_fields(board, leaper, piece, holes, closed=closed))
    key = (kind, request)
    with _kept_lock:
        if key in _kept:
            _kept.move_to_end(key)
            return cast("_Made", _kept[key])
    with watching(progress) as watcher:
        made = kind(request, threads, ram_text(ram), watcher)
    with _kept_lock:
        _kept[key] = made
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return made


@overload
def sample(
    board: Board,
    closed: bool = False,
    *,
    number: None = None,
    seed: int | None = None,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Tour: ...


@overload
def sample(
    board: Board,
    closed: bool = False,
    *,
    number: int,
    seed: int | None = None,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> builtins.list[Tour]: ...


def sample(
    board: Board,
    closed: bool = False,
    *,
    number: int | None = None,
    seed: int | None = None,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Tour | builtins.list[Tour]:
    """Draw tours at random, each with exactly the same probability.

    What the first draw of a board makes stays in memory, so that later ones take microseconds to milliseconds a tour.

    Args:
        board: ``"8x8"`` or ``(8, 8)``: rows x columns.
        closed: Closed tours.
        number: How many; without it a single tour is returned, otherwise a list.
        seed: Equal seeds give equal tours; by default a different one each time.
        leaper: Another piece than the knight.
        piece: The same in Betza's notation, or by name.
        holes: Squares that are missing.
        threads: The number of threads.
        ram: The memory budget of the count.
        progress: ``True`` for a bar, or a function.

    Raises:
        NoSolution: There are no tours.
        BudgetError: What draws need does not fit ``ram``.

    >>> from everymove import tours
    >>> tours.sample("6x6", closed=True, seed=7) == tours.sample("6x6", closed=True, seed=7)
    True

    """
    drawer = _made(_native.Drawer, board, closed, leaper, piece, holes, threads, ram, progress)
    seed = random.getrandbits(64) if seed is None else seed
    with watching(progress) as watcher:
        tours = drawer.sample(1 if number is None else number, seed, watcher)
    if not tours and number != 0:
        # The same question asked by name says why.
        find(board, closed, leaper=leaper, piece=piece, holes=holes)
    return tours[0] if number is None else tours


def rank(tour: Tour, *, threads: int | None = None, ram: Ram = None, progress: ProgressOption = False) -> int:
    """Return the number of a tour among all undirected tours of its board and kind, from 0.

    >>> from everymove import tours
    >>> tours.rank(tours.unrank("6x6", 1234, closed=True))
    1234
    """
    leaper = None if tour.leaper == (1, 2) else tour.leaper
    piece = None if tour.leaper else tour.piece
    made = _made(_native.Sampler, tour.board, tour.closed, leaper, piece, tour.holes, threads, ram, progress)
    return made.rank(tour)


def unrank(
    board: Board,
    rank: int,
    closed: bool = False,
    *,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Tour:
    """Return the tour of a number from 0 to ``count(board, closed) - 1``.

    Raises:
        InputError: There is no tour with that number.

    """
    return _made(_native.Sampler, board, closed, leaper, piece, holes, threads, ram, progress).unrank(rank)


@dataclass(frozen=True)
class Symmetric:
    """Numbers of symmetric tours."""

    diagrams: int | None
    """Closed tours that the rotation maps onto themselves, as sets of moves."""
    quarter_paths: int | None
    """On a board with a centre square, for the quarter turn: paths that meet every orbit of squares but the centre
    once and end a move from it, one start for each orbit."""
    type_a: int | None
    """Open tours of four copies of such a path, then the centre."""
    type_b: int | None
    """Open tours of two copies, the centre, and two copies backwards."""
    reason: str | None
    """The theorem that rules such tours out, where one does."""


def symmetric(
    board: Board,
    rotation: Rotation = "half",
    *,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Symmetric:
    """Count the tours that a rotation maps onto themselves, or that consist of four turned copies of a path.

    >>> from everymove import tours
    >>> tours.symmetric("6x6", "quarter").diagrams
    10
    >>> tours.symmetric("7x7", "quarter").type_a
    512
    """
    fields = _fields(board, leaper, piece, holes, rotation=rotation)
    answer = ask("tours symmetric", threads=threads, ram=ram, progress=progress, **fields)
    names = ("diagrams", "quarter_paths", "type_a", "type_b", "reason")
    return Symmetric(*(answer.get(name) for name in names))


def list_symmetric(
    board: Board,
    rotation: Rotation = "half",
    *,
    type: Literal["a", "b"] | None = None,
    number: int | None = None,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    threads: int | None = None,
    ram: Ram = None,
) -> Tours:
    """Return an iterator over the tours that `symmetric` counts, found while they are read.

    >>> from everymove import tours
    >>> sum(1 for tour in tours.list_symmetric("6x6", "quarter"))
    10
    """
    fields = _fields(board, leaper, piece, holes, rotation=rotation, list=True, type=type, number=number)
    return _native.list_symmetric(fields_text(fields), threads, ram_text(ram))


@dataclass(frozen=True)
class Verification:
    """What the verifier says, which shares no code with any solver."""

    valid: bool
    """Whether it is a tour."""
    fault: str | None
    """The first fault."""
    start: str | None
    """The first square of a tour."""
    end: str | None
    """The last square of a tour."""
    closed: bool
    """Whether the last square is a move away from the first."""

    def __bool__(self) -> bool:
        """Return whether it is a tour."""
        return self.valid


def verify(
    tour: Tour | str | Iterable[str] | npt.NDArray[np.integer[Any]],
    board: Board | None = None,
    closed: bool | None = None,
    *,
    leaper: Leaper = None,
    piece: str | None = None,
    holes: Holes = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Verification:
    """Return whether squares in order, or an array of steps, are a tour.

    Args:
        tour: A `Tour`; squares in order, as ``"a1-b3-c5"`` or as names; or an array of shape ``(rows, cols)`` of
            steps, from 0 or from 1, row 0 being the row of a1, -1 on holes.
        board: The board; by default that of the tour or the shape of the array.
        closed: Whether it must be closed; by default as the tour itself says, otherwise not.
        leaper: Another piece than the knight.
        piece: The same in Betza's notation, or by name.
        holes: Squares that are missing.
        threads: The number of threads.
        ram: The memory budget.
        progress: ``True`` for a bar, or a function.

    >>> from everymove import tours
    >>> bool(tours.verify(tours.find("8x8").steps))
    True
    >>> tours.verify("a1-b3-a1", "3x4").fault
    'a1 is visited twice, at steps 1 and 3'

    """
    squares: str | None = None
    steps: bytes | None = None
    if isinstance(tour, Tour):
        board = board or tour.board
        if leaper is None and piece is None:
            leaper, piece = tour.leaper, None if tour.leaper else tour.piece
        holes = holes or tour.holes
        closed = tour.closed if closed is None else closed
        tour = tour.squares
    if isinstance(tour, str):
        squares = tour
    elif hasattr(tour, "shape"):
        steps, shape = _steps(tour)
        board = board or shape
    else:
        squares = "-".join(str(square) for square in tour)
    if board is None:
        raise TypeError("squares in order need a board: verify(squares, '8x8')")
    fields = _fields(board, leaper, piece, holes, closed=bool(closed))
    with watching(progress) as watcher:
        fault, start, end, is_closed = _native.verify_tour(
            fields_text(fields), squares, steps, threads, ram_text(ram), watcher
        )
    return Verification(fault is None, fault, start or None, end or None, is_closed)


def _steps(array: Any) -> tuple[bytes, tuple[int, int]]:
    import numpy as np

    steps = np.asarray(array)
    if steps.ndim != 2 or not np.issubdtype(steps.dtype, np.integer):
        raise ValueError(f"expected an array of integers with 2 dimensions, not {steps.ndim} of {steps.dtype}")
    if steps.size and steps.max() == np.count_nonzero(steps >= 0) and not (steps == 0).any():
        steps = np.where(steps > 0, steps - 1, steps)
    if steps.size and (steps.max() > 2**31 - 1 or steps.min() < -1):
        raise ValueError("steps go from 0, and holes have -1")
    rows, cols = steps.shape
    return steps.astype("<i4").tobytes(), (int(rows), int(cols))


def complete(
    board: Board,
    path: str | Iterable[str] = "",
    closed: bool = False,
    *,
    nodes: int | None = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> dict[str, Any]:
    """Return whether a path of moves can still become a tour, with one that completes it and the next squares.

    The fields are those of ``everymove tours complete --json``.

    >>> from everymove import tours
    >>> tours.complete("5x5", "a1-b3")["possible"]
    'yes'
    """
    text = path if isinstance(path, str) else "-".join(path)
    return ask(
        "tours complete",
        threads=threads,
        ram=ram,
        progress=progress,
        board=_board(board),
        path=text,
        closed=closed,
        nodes=nodes,
    )
