"""Pieces by their moves: what a notation means, and which pieces win against a king alone.

A piece is Betza's notation, such as ``"BN"`` or ``"mRcpR"``, or a name, such as ``"camel"``. Tables of endings of such
pieces are those of `everymove.tables`, with ``pieces={"A": "BN"}``.

>>> from everymove import pieces
>>> pieces.show("BN").names
('archbishop',)
>>> [(row.pieces, row.share, row.longest_mate) for row in pieces.potential("R", "WA", boards=6)]
[(('R',), 1.0, 12), (('WA',), 0.0, 0)]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .commands import Ram, ask
from .progress import ProgressOption

__all__ = ["Atom", "Piece", "Potential", "potential", "show"]


def __dir__() -> list[str]:
    return sorted(__all__)


@dataclass(frozen=True)
class Atom:
    """Moves in one direction."""

    dx: int
    """Files to the right for each step."""
    dy: int
    """Ranks forward for each step."""
    range: int | None
    """The most steps; ``None`` if there is no limit."""
    moves: bool
    """Whether it moves to vacant squares."""
    captures: bool
    """Whether it captures."""
    kind: Literal["slide", "lame", "cannon", "grasshopper"]
    """What it may jump over."""


@dataclass(frozen=True)
class Piece:
    """A piece by its moves; printed, it is a diagram."""

    piece: str
    """The piece as it was given."""
    names: tuple[str, ...]
    """The usual names of a piece with these moves."""
    atoms: tuple[Atom, ...] = field(repr=False)
    """Its moves, one direction each."""
    diagram: str = field(repr=False)
    """The moves as rows of characters, forward upwards."""

    def __str__(self) -> str:
        return self.diagram.rstrip()


@dataclass(frozen=True)
class Potential:
    """How a piece or a pair of pieces, beside a king, does against a king alone on a board."""

    pieces: tuple[str, ...]
    """The piece, or both of a pair."""
    board: str
    """The board, files x ranks."""
    legal: int
    """Legal positions with the stronger side to move; like men are the same."""
    wins: int
    """Those that it wins."""
    share: float
    """The share of wins, from 0 to 1."""
    longest_mate: int
    """Moves of the longest mate; 0 if there is none."""


def show(piece: str) -> Piece:
    """Return the moves of a piece.

    >>> from everymove import pieces
    >>> print(pieces.show("camel"))
    . . * . * . .
    . . . . . . .
    * . . . . . *
    . . . @ . . .
    * . . . . . *
    . . . . . . .
    . . * . * . .
    * moves and captures

    Raises:
        InputError: The text is not a piece.

    """
    answer = ask("pieces show", piece=piece)
    atoms = tuple(Atom(**atom) for atom in answer["atoms"])
    return Piece(answer["piece"], tuple(answer["names"]), atoms, answer["diagram"])


def potential(
    *pieces: str,
    boards: str | int | None = None,
    pairs: bool = False,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> list[Potential]:
    """Return how pieces do against a king alone, by board, then by pieces.

    Args:
        *pieces: The pieces; by default the leaps W F D N A H C Z G, their rides, and all sums of two of these; with
            pairs the leaps and rides alone.
        boards: Square boards by their sides and boards as files x ranks, such as ``8``, ``"6..12"`` or ``"8,10x8"``; by
            default ``"6..12"``.
        pairs: In place of the pieces, the pairs of those that win less than half of the positions of a board alone.
        threads: The number of threads.
        ram: The memory budget.
        progress: ``True`` for a bar, or a function.

    Raises:
        InputError: A piece or a board is wrong.
        BudgetError: A board does not fit ``ram``.

    """
    answer = ask(
        "pieces potential",
        threads=threads,
        ram=ram,
        progress=progress,
        pieces=list(pieces),
        boards=None if boards is None else str(boards),
        pairs=pairs,
    )
    rows = answer["rows"]
    return [Potential(tuple(row.pop("pieces")), **row) for row in rows]
