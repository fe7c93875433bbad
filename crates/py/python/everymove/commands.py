"""Every command of everymove, from keyword arguments to a dictionary.

The names and meanings are those of the command line and of the HTTP interface: a command ``tours count`` with the
fields of its request, answered by the object that ``--json`` prints. The modules of the package are built on it; use it
for what they do not have.

>>> import everymove
>>> everymove.ask("tours count", board="6x6", closed=True)["count"]
'9862'
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

from . import _native
from .progress import ProgressOption, watching

__all__ = ["Ram", "ask", "schema"]


def __dir__() -> list[str]:
    return sorted(__all__)


Ram = int | str | None
"""A memory budget in bytes, or as text such as ``"512M"`` or ``"4G"``; by default half of the free memory."""


def ram_text(ram: Ram) -> str | None:
    """Return a memory budget as the native module reads it."""
    return None if ram is None else str(ram)


def fields_text(fields: dict[str, Any]) -> str:
    """Return a request as JSON; fields that are ``None`` are left out."""
    return json.dumps({name: value for name, value in fields.items() if value is not None}, default=str)


def ask(
    command: str,
    /,
    *,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
    updates: Callable[[dict[str, Any]], object] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Answer a command.

    Args:
        command: Its name, such as ``"tours count"``; ``schema()`` has all of them.
        threads: The number of threads; by default as many as there are cores.
        ram: The memory that the work may take, in bytes or as text such as ``"2G"``.
        progress: ``True`` for a bar, or a function that is called with a `Progress`.
        updates: Called with each intermediate result, for the few commands that have some.
        **fields: The fields of the request.

    Returns:
        The answer with its ``work`` (counters), ``cpu_seconds`` and ``wall_seconds``.

    Raises:
        InputError: A field is unknown, missing or wrong.
        BudgetError: The work does not fit ``ram``.
        KeyboardInterrupt: Ctrl-C; the work has stopped.

    """
    receive = None if updates is None else _received(updates)
    with watching(progress) as watcher:
        text = _native.ask(command, fields_text(fields), threads, ram_text(ram), watcher, receive)
    answer: dict[str, Any] = json.loads(text)
    return answer


def _received(updates: Callable[[dict[str, Any]], object]) -> Callable[[str], None]:
    def receive(text: str) -> None:
        updates(json.loads(text))

    return receive


@functools.cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of all requests and answers, by command."""
    document: dict[str, Any] = json.loads(_native.schema())
    return document
