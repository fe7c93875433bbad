"""Exceptions: each has one line that says what is wrong and what is expected, as the command line shows it.

>>> import everymove
>>> try:
...     everymove.tours.count("5 5")
... except everymove.InputError as error:
...     print(error, "|", error.field)
'5 5' is not a board: write 5x5 | board
"""

from __future__ import annotations

__all__ = ["BudgetError", "EverymoveError", "InputError", "MachineError", "NoSolution", "Stopped"]


def __dir__() -> list[str]:
    return sorted(__all__)


class EverymoveError(Exception):
    """Any error of this package."""


class InputError(EverymoveError, ValueError):
    """An argument, or a file that it names, is wrong."""

    field: str | None = None
    """The argument that is wrong, where one is."""


class BudgetError(EverymoveError, MemoryError):
    """The work does not fit the memory budget; it was refused before it took the memory."""

    need: int = 0
    """The budget that the work needs, in bytes."""


class MachineError(EverymoveError, RuntimeError):
    """A disk is full, a program cannot be started, or the machine failed otherwise."""


class Stopped(EverymoveError):
    """The work was stopped before its answer was complete."""


class NoSolution(EverymoveError):
    """There is no solution, for a sound reason: a theorem, or every possibility was tried."""

    reason: str = ""
    """The reason in words."""


def make(kind: str, line: str, field: str | None, need: int | None) -> EverymoveError:
    """Return the exception of a kind of error; called by the native module."""
    if kind == "input":
        wrong = InputError(line)
        wrong.field = field
        return wrong
    if kind == "memory":
        over = BudgetError(line)
        over.need = need or 0
        return over
    if kind == "no solution":
        none = NoSolution(line)
        none.reason = line
        return none
    return Stopped(line) if kind == "stopped" else MachineError(line)
