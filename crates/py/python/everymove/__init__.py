"""everymove answers questions about boards completely.

Every knight's tour (`everymove.tours`), every solution of a peg board (`everymove.pegs`), the exact value of every
chess endgame position (`everymove.tables`), pieces by their moves (`everymove.pieces`), the best chess moves it can
find (`everymove.engine`), matches between engines (`everymove.arena`), experiments (`everymove.lab`), and large
questions in jobs (`everymove.jobs`), on many machines (`everymove.cluster`). The work is done in Rust, without the lock
of the interpreter; Ctrl-C stops it, ``progress=True`` shows a bar, ``threads`` and ``ram`` bound it.

>>> import everymove
>>> everymove.tours.count("6x6", closed=True)
9862
"""

from __future__ import annotations

from . import arena, engine, jobs, lab, pegs, pieces, tables, tours
from ._native import version as _version
from .commands import ask, schema
from .errors import BudgetError, EverymoveError, InputError, MachineError, NoSolution, Stopped
from .progress import Progress

__version__ = _version()

__all__ = [
    "BudgetError",
    "EverymoveError",
    "InputError",
    "MachineError",
    "NoSolution",
    "Progress",
    "Stopped",
    "__version__",
    "arena",
    "ask",
    "engine",
    "jobs",
    "lab",
    "pegs",
    "pieces",
    "schema",
    "tables",
    "tours",
]


def __dir__() -> list[str]:
    return sorted(__all__)
