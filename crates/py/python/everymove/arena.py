"""Matches between chess engines that speak UCI or xboard, with Elo, its error, and a sequential test.

>>> from everymove import arena
>>> result = arena.play(["self", "self"], number=2, nodes=50, threads=1)
>>> result.complete, result.games, len(result.rows)
(True, 2, 2)
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from . import _native
from .commands import Ram, fields_text, ram_text
from .progress import ProgressOption, watching

__all__ = ["Match", "Program", "play"]


def __dir__() -> list[str]:
    return sorted(__all__)


@dataclass(frozen=True)
class Program:
    """An engine of a match."""

    command: str
    """The file of the program; ``self`` for the engine of this package."""
    name: str | None = None
    """Its name in the results."""
    arguments: tuple[str, ...] = ()
    """Arguments of the program."""
    options: Mapping[str, str | int | bool] = field(default_factory=dict)
    """Its UCI options."""
    folder: str | None = None
    """The directory in which it runs."""
    protocol: Literal["uci", "xboard"] | None = None
    """``uci`` by default."""
    tc: str | None = None
    """A clock of its own, such as ``2+0.02``."""
    nodes: int | None = None
    """Nodes for each move, of its own."""
    ponder: bool = False
    """Whether it thinks on the opponent's time."""

    def text(self) -> str:
        """Return the engine as the command line has it: ``cmd=..,name=..``."""
        command, arguments = self.command, self.arguments
        if command == "self":
            command, arguments = sys.executable, ("-m", "everymove.uci", *arguments)
        parts = [f"cmd={command}"]
        parts += [f"name={self.name}"] if self.name else []
        parts += [f"arg={argument}" for argument in arguments]
        parts += [f"dir={self.folder}"] if self.folder else []
        parts += [f"proto={self.protocol}"] if self.protocol else []
        parts += [f"tc={self.tc}"] if self.tc else []
        parts += [f"nodes={self.nodes}"] if self.nodes else []
        parts += ["ponder=true"] if self.ponder else []
        for name, value in self.options.items():
            parts.append(f"option.{name}={str(value).lower() if isinstance(value, bool) else value}")
        return ",".join(part.replace(",", "\\,") for part in parts)


@dataclass(frozen=True)
class Match:
    """The results of a match."""

    complete: bool
    """Whether all games were played, or the sequential test has decided."""
    games: int
    """The number of games that count."""
    rows: tuple[dict[str, Any], ...] = field(repr=False)
    """A dictionary for each engine: ``name``, ``games``, ``points``, ``wins``, ``draws``, ``losses``, ``rating`` (Elo),
    ``rating_error`` (half the width of the 95 % interval), ``nodes_per_second`` and so on."""
    pairings: tuple[dict[str, Any], ...] = field(repr=False)
    """A dictionary for each pairing, from the point of view of the first engine."""
    endings: dict[str, int]
    """The number of games by ending."""
    sprt: dict[str, Any] | None
    """The sequential test, if there is one."""
    game_rows: tuple[dict[str, Any], ...] = field(repr=False)
    """A dictionary for each game: ``number``, ``white``, ``black``, ``result``, ``ending``, ``plies``, ``pgn``."""
    table_faults: tuple[str, ...] = ()
    """Damaged files of Syzygy tables: games went on where these would have ended them."""

    @property
    def pgn(self) -> str:
        """All games in Portable Game Notation."""
        return "".join(game["pgn"] for game in self.game_rows)


def play(
    engines: Iterable[str | Program],
    *,
    number: int | None = None,
    tc: str | None = None,
    time: float | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    tournament: Literal["round-robin", "gauntlet"] | None = None,
    concurrency: int | None = None,
    openings: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    pgn: str | os.PathLike[str] | None = None,
    event: str | None = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
    **more: Any,
) -> Match:
    """Let engines play each other.

    Args:
        engines: Two or more: a `Program`, the file of a program, or ``"self"`` for the engine of this package. Elo is
            from the point of view of the first.
        number: Games of each pairing, an even number, as every opening is played with both colours; by default 100.
        tc: Clock: seconds, or moves/seconds, with +increment, such as ``"2+0.02"``.
        time: Seconds for each move.
        nodes: Nodes for each move.
        depth: Plies of each search.
        tournament: Each engine against each other one, or the first against each other one.
        concurrency: Games at the same time; by default 1.
        openings: An EPD or PGN file; by default balanced openings generated from the rules.
        seed: Seed of the openings.
        pgn: A file for the games.
        event: The name of the match in the games.
        threads: The number of threads.
        ram: The memory budget.
        progress: ``True`` for a bar, or a function.
        **more: Further fields of ``arena play``, such as ``sprt`` or ``resign``.

    Raises:
        InputError: An argument is wrong, or nothing limits the moves.
        MachineError: An engine cannot be started.
        KeyboardInterrupt: Ctrl-C; the engines have ended.

    """
    programs = [engine if isinstance(engine, Program) else Program(engine) for engine in engines]
    fields: dict[str, Any] = {
        "engines": [program.text() for program in _named(programs)],
        "number": number,
        "tc": tc,
        "time": time,
        "nodes": nodes,
        "depth": depth,
        "tournament": tournament,
        "concurrency": concurrency,
        "openings": None if openings is None else os.fspath(openings),
        "seed": seed,
        **more,
    }
    path = None if pgn is None else os.fspath(pgn)
    with watching(progress) as watcher:
        answer = json.loads(_native.arena_play(fields_text(fields), path, event, threads, ram_text(ram), watcher))
    for fault in answer.get("table_faults", ()):
        warnings.warn(f"not used: {fault}", stacklevel=2)
    return Match(
        answer["complete"],
        answer["games"],
        tuple(answer["engines"]),
        tuple(answer["pairings"]),
        answer["endings"],
        answer.get("sprt"),
        tuple(answer["game_list"]),
        tuple(answer.get("table_faults", ())),
    )


def _named(programs: list[Program]) -> list[Program]:
    """Give engines without a name that are the same program different names."""
    named = []
    for number, program in enumerate(programs, 1):
        others = [other for other in programs if other is not program and other.name is None]
        if program.name is None and (program.command == "self" or any(o.command == program.command for o in others)):
            stem = "everymove" if program.command == "self" else os.path.basename(program.command)
            name = f"{stem}-{number}" if any(o.command == program.command for o in others) else stem
            program = Program(**{**program.__dict__, "name": name})
        named.append(program)
    return named
