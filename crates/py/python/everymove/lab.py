"""Experiments that compare serial and parallel versions by work and by time, checked against known results.

>>> from everymove import lab
>>> [entry["name"] for entry in lab.experiments()][:2]
['course-tours', 'course-symmetric']
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from . import _native
from .commands import Ram, ask, fields_text, ram_text
from .progress import ProgressOption, watching

__all__ = ["Chart", "Check", "Report", "Run", "Table", "experiments", "run"]


def __dir__() -> list[str]:
    return sorted(__all__)


@dataclass(frozen=True)
class Table:
    """Numbers in rows."""

    name: str
    """A plain name."""
    title: str
    """The title shown above the table."""
    columns: tuple[str, ...]
    """The heads of the columns."""
    rows: tuple[dict[str, str | int | float | None], ...] = field(repr=False)
    """A dictionary for each row, by column: ``pandas.DataFrame(table.rows)``. Times are seconds; those of repeated runs
    are medians, with the least and the greatest in columns of their own."""


@dataclass(frozen=True)
class Chart:
    """A picture of a report."""

    name: str
    """A plain name."""
    svg: str = field(repr=False)
    """The picture."""

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class Check:
    """A result beside the known one."""

    what: str
    """What was found out."""
    found: str
    """The result of the run."""
    known: str
    """The known result."""
    source: str
    """Where the known result is from."""
    agrees: bool
    """Whether the two are the same."""


@dataclass(frozen=True)
class Report:
    """What an experiment found."""

    name: str
    """The experiment."""
    title: str
    """What it asked."""
    notes: tuple[str, ...] = field(repr=False)
    """Paragraphs for the reader."""
    tables: tuple[Table, ...] = field(repr=False)
    """Its tables."""
    charts: tuple[Chart, ...] = field(repr=False)
    """Its charts."""
    checks: tuple[Check, ...] = field(repr=False)
    """Its results beside known ones."""

    def table(self, name: str) -> Table:
        """Return the table of a name."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(f"{name}: expected one of {', '.join(table.name for table in self.tables)}")


@dataclass(frozen=True)
class Run:
    """What one or several experiments found."""

    reports: tuple[Report, ...]
    """A report for each experiment."""
    disagreements: int
    """How many results disagree with known ones."""
    cpu_seconds: float
    """Processor seconds of all threads."""


def experiments() -> list[dict[str, Any]]:
    """Return what experiments there are: ``name``, ``about``, ``quick_seconds`` and ``full_seconds``."""
    rows: list[dict[str, Any]] = ask("lab list", threads=1)["experiments"]
    return rows


def run(
    name: str,
    *,
    quick: bool = False,
    threads: int | Iterable[int] | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Run:
    """Run an experiment.

    Args:
        name: Its name; ``"quick"`` for all of them in about a minute, ``"all"`` for all of them in full.
        quick: A small version, of some seconds.
        threads: The numbers of threads that are compared; a single number means one thread, its doublings below
            that number, and that number. By default up to twice as many as there are cores.
        ram: The memory budget.
        progress: ``True`` for a bar, or a function.

    Raises:
        InputError: There is no such experiment.

    """
    compared = [threads] if isinstance(threads, int) else list(threads or ())
    fields = {"name": name, "quick": quick, "threads": compared}
    with watching(progress) as watcher:
        answer = json.loads(_native.lab_run(fields_text(fields), None, ram_text(ram), watcher))
    checks = {entry["name"]: entry["checks"] for entry in answer["experiments"]}
    reports = (
        Report(
            report["name"],
            report["title"],
            tuple(report["notes"]),
            tuple(_table(table) for table in report["tables"]),
            tuple(Chart(chart["name"], chart["svg"]) for chart in report["charts"]),
            tuple(Check(**check) for check in checks[report["name"]]),
        )
        for report in answer["reports"]
    )
    return Run(tuple(reports), answer["disagreements"], answer["cpu_seconds"])


def _table(table: dict[str, Any]) -> Table:
    rows = []
    for cells in table["rows"]:
        row: dict[str, str | int | float | None] = {}
        for column, cell in zip(table["head"], cells, strict=True):
            if isinstance(cell, dict) and "times" in cell:
                row[column], row[f"{column} (least)"], row[f"{column} (greatest)"] = cell["times"]
            else:
                row[column] = _cell(cell)
        rows.append(row)
    columns = dict.fromkeys([*table["head"], *(column for row in rows for column in row)])
    return Table(
        table["name"], table["title"], tuple(columns), tuple({**dict.fromkeys(columns), **row} for row in rows)
    )


def _cell(cell: Any) -> str | int | float | None:
    if isinstance(cell, dict):
        return int(cell["count"]) if "count" in cell else str(cell["text"])
    return None if cell is None else float(cell)
