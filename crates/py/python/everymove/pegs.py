"""Peg solitaire on any board of up to 64 holes: solved, counted, advice on every position, games.

A *jump* is one peg over a neighbour into the empty hole behind it; a *move* is consecutive jumps of one peg. Holes are
named by the letter of the column and the number of the row from the top.

>>> from everymove import pegs
>>> board = pegs.Board("english")
>>> solution = board.solve(shortest=True)
>>> len(solution.moves), solution.proved_shortest
(18, True)
>>> board.hint().winnable
True
"""

from __future__ import annotations

import builtins
import os
from dataclasses import dataclass, field
from typing import Any

from . import _native
from ._native import Hint, Position
from .commands import Ram, ask, fields_text, ram_text
from .errors import BudgetError, NoSolution
from .progress import ProgressOption, watching

__all__ = ["Board", "Counts", "Game", "Hint", "NamedBoard", "Position", "Solution", "boards"]


def __dir__() -> list[str]:
    return sorted(__all__)


@dataclass(frozen=True)
class NamedBoard:
    """A board that has a name."""

    name: str
    """Its name."""
    about: str
    """What it is, in a line."""
    lattice: str
    """``square`` or ``triangular``."""
    holes: int
    """Number of holes."""
    rows: str
    """Its rows from the top, with ``/`` between them."""


def boards() -> builtins.list[NamedBoard]:
    """Return the boards that have a name.

    >>> from everymove import pegs
    >>> [board.holes for board in pegs.boards() if board.name == "english"]
    [33]
    """
    names = ("name", "about", "lattice", "holes", "rows")
    return [NamedBoard(*(board[name] for name in names)) for board in ask("pegs boards")["boards"]]


@dataclass(frozen=True)
class Game:
    """A game as far as it was played."""

    board: Board
    """The board with its start."""
    jumps: tuple[str, ...]
    """The jumps, such as ``d2-d4``."""
    positions: tuple[Position, ...] = field(repr=False)
    """Every position from the start: one more than there are jumps."""

    @property
    def end(self) -> Position:
        """The last position."""
        return self.positions[-1]

    @property
    def solved(self) -> bool:
        """Whether the last position is the finish."""
        return self.board.is_finish(self.end)

    def play(self, moves: str) -> Game:
        """Return the game with more moves.

        Raises:
            InputError: A move cannot be made.

        """
        return self.board.play(" ".join((*self.jumps, moves)))

    def svg(self, *, animated: bool = False, dark: bool = False) -> str:
        """Return a strip of pictures, one for each move, or an animation, as SVG."""
        return self.board._problem.svg(" ".join(self.jumps), animated=animated, dark=dark)

    def _repr_svg_(self) -> str:
        return self.svg()


@dataclass(frozen=True)
class Solution:
    """A sequence of jumps from the start to the finish, replayed by an independent checker."""

    game: Game = field(repr=False)
    """The game, with every position."""
    jumps: tuple[str, ...]
    """The jumps, such as ``d2-d4``."""
    moves: tuple[str, ...]
    """The moves, such as ``d2-d4-f4``: consecutive jumps of one peg are one."""
    proved_shortest: bool
    """Whether no solution has fewer moves, proved."""
    shortest_solutions: int | None
    """How many solutions have as few moves, as ordered sequences of moves, if that was asked for."""
    work: dict[str, int] = field(repr=False)
    """Counters of work."""

    def _repr_svg_(self) -> str:
        return self.game.svg()


@dataclass(frozen=True)
class Counts:
    """What can be counted of a problem. Positions are counted up to symmetry unless said otherwise."""

    positions: int
    """Positions that games reach."""
    positions_by_pegs: dict[int, int] = field(repr=False)
    """The same by the number of pegs."""
    dead_ends_by_pegs: dict[int, int] = field(repr=False)
    """Those of them without a jump."""
    images: int
    """Positions that games reach, every image under a symmetry counted."""
    solutions: int | None
    """Ordered sequences of jumps from the start to the finish; ``None`` if they were not asked for."""
    winning: int | None
    """Positions of games from which the finish can be reached."""
    winning_by_jumps: tuple[int, ...] | None = field(repr=False)
    """The same by the number of jumps."""
    games: int | None
    """Ordered sequences of jumps to a position without a jump, if they were asked for."""
    odds: float | None
    """The probability of reaching the finish if every jump is drawn uniformly, if games were asked for."""
    work: dict[str, int] = field(repr=False)
    """Counters of work."""


class Board:
    """A board with the start and the finish of a game.

    Args:
        board: A name such as ``"english"``, or rows from the top with ``/`` between them: ``o`` a peg, ``.`` an empty
            hole, a blank or ``_`` no place.
        start: The hole that is empty at the start, or a position; by default the board as drawn if it is drawn with
            empty holes, otherwise the hole in the middle, or the first.
        finish: The hole of the last peg, a position, or ``"anywhere"``; by default the hole in the middle where the
            class of the start allows it, otherwise anywhere.
        lattice: ``"square"`` or ``"triangular"``; by default triangular for pyramids and rows of 1, 2, 3, ... places.

    Raises:
        InputError: The board, the start or the finish is wrong.

    Boards are compared, hashed and pickled by value; the winning set that `hint` loads is not pickled.

    >>> from everymove import pegs
    >>> pegs.Board("triangle5", start="a2").count().solutions
    14880

    """

    __slots__ = ("_problem", "_text")

    def __init__(
        self,
        board: str = "english",
        *,
        start: str | Position | None = None,
        finish: str | Position | None = None,
        lattice: str | None = None,
    ) -> None:
        ends = [end.text if isinstance(end, Position) else end for end in (start, finish)]
        fields = {"board": board, "lattice": lattice, "start": ends[0], "finish": ends[1]}
        self._problem = _native.Problem(fields_text(fields))
        self._text = fields

    @property
    def name(self) -> str:
        """Its name, or ``custom``."""
        return self._problem.name

    @property
    def rows(self) -> str:
        """Its rows from the top, every hole filled."""
        return self._problem.rows

    @property
    def lattice(self) -> str:
        """``square`` or ``triangular``."""
        return self._problem.lattice

    @property
    def holes(self) -> tuple[str, ...]:
        """The names of its holes, row by row from the top."""
        return self.start.holes

    @property
    def start(self) -> Position:
        """The position to start from."""
        return self._problem.start

    @property
    def finish(self) -> str:
        """The hole of the last peg, the rows of a position, or ``anywhere``."""
        return self._problem.finish_text

    def _fields(self) -> dict[str, Any]:
        return {
            "board": self.rows if self.name == "custom" else self.name,
            "lattice": self.lattice,
            "start": self._problem.start_text,
            "finish": self.finish,
        }

    def position(self, text: str) -> Position:
        """Return a position of this board from its rows."""
        return self._problem.position(text)

    def is_finish(self, position: Position) -> bool:
        """Return whether a position is the end that was asked for."""
        return self._problem.is_finish(position)

    def solve(
        self,
        shortest: bool = False,
        *,
        method: str | None = None,
        order: str | None = None,
        split: int | None = None,
        hash: str | int | None = None,
        nodes: int | None = None,
        threads: int | None = None,
        ram: Ram = None,
        progress: ProgressOption = False,
    ) -> Solution:
        """Return a solution, the proved shortest one if asked for.

        Args:
            shortest: The fewest moves, proved.
            method: ``auto``, ``layers``, ``dfs``, ``dfs-set`` or ``dfs-canonical``.
            order: Depth first: the order of the jumps: ``rows``, ``rows-reversed``, ``directions``, ``random:SEED``.
            split: Depth first: every position this many jumps from the start is a job for a thread.
            hash: Depth first: memory for positions that failed.
            nodes: Depth first: give up after about this many positions.
            threads: The number of threads.
            ram: The memory budget.
            progress: ``True`` for a bar, or a function.

        Raises:
            NoSolution: There is none; ``reason`` is ``class`` (proved by colouring), ``pegs`` or ``exhaustion``, with
                the proof in words.

        """
        answer = ask(
            "pegs solve",
            threads=threads,
            ram=ram,
            progress=progress,
            shortest=shortest,
            method=method,
            order=order,
            split=split,
            hash=None if hash is None else str(hash),
            nodes=nodes,
            **self._fields(),
        )
        if not answer["solvable"]:
            none = NoSolution(answer.get("proof") or answer["reason"])
            none.reason = answer["reason"]
            raise none
        number = answer.get("shortest_solutions")
        return Solution(
            self.play(answer["game"]),
            tuple(answer["jumps"]),
            tuple(answer["game"].split()),
            bool(answer.get("shortest")),
            None if number is None else int(number),
            _work(answer),
        )

    def is_solvable(self, *, threads: int | None = None, ram: Ram = None, progress: ProgressOption = False) -> bool:
        """Return whether there is a solution."""
        return bool(ask("pegs solve", threads=threads, ram=ram, progress=progress, **self._fields())["solvable"])

    def count(
        self,
        *,
        games: bool = False,
        positions: bool = False,
        checkpoint: str | None = None,
        work: str | None = None,
        disk: int | str | None = None,
        threads: int | None = None,
        ram: Ram = None,
        progress: ProgressOption = False,
    ) -> Counts:
        """Count positions, winning positions and solutions.

        Args:
            games: Also count all games, and the odds of random play.
            positions: Count positions only.
            checkpoint: A directory where the state of a long count is saved, and resumed from.
            work: A directory for layers of positions that do not fit ``ram``.
            disk: The bytes that these files may take, or text such as ``"20G"``; by default half of what is free.
            threads: The number of threads.
            ram: The memory budget.
            progress: ``True`` for a bar, or a function.

        """
        answer = ask(
            "pegs count",
            threads=threads,
            ram=ram,
            progress=progress,
            games=games,
            positions=positions,
            checkpoint=checkpoint,
            work=work,
            disk=None if disk is None else str(disk),
            **self._fields(),
        )

        def number(name: str) -> int | None:
            return None if answer.get(name) is None else int(answer[name])

        by_jumps = answer.get("winning_by_jumps")
        none = 0 if answer.get("reason") == "class" else None
        return Counts(
            int(answer["positions"]),
            dict(zip(answer["pegs"], answer["positions_by_pegs"], strict=True)),
            dict(zip(answer["pegs"], answer["dead_ends_by_pegs"], strict=True)),
            int(answer["images"]),
            none if answer.get("solutions") is None else int(answer["solutions"]),
            none if answer.get("winning") is None else int(answer["winning"]),
            None if by_jumps is None else tuple(by_jumps),
            number("games"),
            answer.get("odds"),
            _work(answer),
        )

    def load(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        threads: int | None = None,
        ram: Ram = None,
        progress: ProgressOption = False,
    ) -> int:
        """Find every winning position, or read them from a file that `save` wrote, so that `hint` takes microseconds.

        Returns:
            The number of winning positions up to symmetry.

        Raises:
            BudgetError: They do not fit ``ram``.

        """
        folder, name = os.path.split(os.path.abspath(file)) if file is not None else (None, None)
        with watching(progress) as watcher:
            return self._problem.load(folder, name, threads, ram_text(ram), watcher)

    def save(
        self,
        file: str | os.PathLike[str],
        *,
        threads: int | None = None,
        ram: Ram = None,
        progress: ProgressOption = False,
    ) -> int:
        """Write every winning position into a file and return the number of its bytes."""
        answer = ask("pegs winning", threads=threads, ram=ram, progress=progress, out=os.fspath(file), **self._fields())
        return int(answer["bytes"])

    def hint(
        self,
        position: Position | str | None = None,
        *,
        solutions: bool = False,
        shortest: bool = False,
        played: bool = False,
        threads: int | None = None,
        ram: Ram = None,
        progress: ProgressOption = False,
    ) -> Hint:
        """Return whether a position can still be won, and which jumps keep it so.

        The first call finds all winning positions; later calls take microseconds for every position that is won, and
        for lost ones if ``played`` says that they arose in a game. Other positions are examined by themselves.

        Args:
            position: A `Position` or its rows; by default the start.
            solutions: Also count the solutions from here, and the share of each jump.
            shortest: Also find the fewest moves.
            played: The position arose in a game from the start: what is not a winning position is lost.
            threads: The number of threads.
            ram: The memory budget.
            progress: ``True`` for a bar, or a function.

        Raises:
            InputError: The position is of another board.

        """
        position = self.start if position is None else position
        if not (solutions or shortest):
            hint = self._problem.hint(position, played)
            if hint is not None:
                return hint
            if not self._problem.is_loaded:
                try:
                    self.load(threads=threads, ram=ram, progress=progress)
                except BudgetError:
                    pass
                else:
                    hint = self._problem.hint(position, played)
            if hint is not None:
                return hint
        with watching(progress) as watcher:
            return self._problem.advise(position, solutions, shortest, threads, ram_text(ram), watcher)

    def play(self, moves: str = "") -> Game:
        """Return a game: moves such as ``"d2-d4 b3-d3"`` from the start.

        Raises:
            InputError: A move cannot be made.

        >>> from everymove import pegs
        >>> pegs.Board("english").play("d2-d4").end.pegs
        31

        """
        jumps, positions = self._problem.play(moves)
        return Game(self, tuple(jumps), tuple(positions))

    def svg(self, *, dark: bool = False) -> str:
        """Return a picture of the start as SVG."""
        return self.start.svg(dark=dark)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _key(self) -> tuple[str, str, str, str]:
        return (self.rows, self.lattice, self.start.text, self.finish)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        fields = self._fields()
        return (_board, (fields["board"], fields["start"], fields["finish"], fields["lattice"]))

    def __repr__(self) -> str:
        fields = self._fields()
        return f"Board({fields['board']!r}, start={fields['start']!r}, finish={fields['finish']!r})"


def _board(board: str, start: str, finish: str, lattice: str) -> Board:
    return Board(board, start=start, finish=finish, lattice=lattice)


def _work(answer: dict[str, Any]) -> dict[str, int]:
    return {name: int(number) for name, number in answer["work"].items()}
