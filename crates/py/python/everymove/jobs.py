"""Large questions in jobs: listed, run one by one in any process, and their results put together.

A question is a command line, ``tours count`` or ``tables build`` with options, as text or in words. `everymove.cluster`
runs all jobs of one on the workers of Dask.

>>> import tempfile
>>> from everymove import jobs
>>> question, folder = "tours count 5x5 --by-start", tempfile.mkdtemp()
>>> names = [job.id for job in jobs.list(question)]
>>> names[:2]
['from-a1', 'from-b1']
>>> len(jobs.run(question, names[:2], folder)), jobs.collect(question, folder).missing
(2, ('from-b2', 'from-c1', 'from-c2', 'from-c3'))
>>> results = jobs.run(question, names[2:], folder)
>>> jobs.collect(question, folder).count
1728
"""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import shlex
import tempfile
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _native
from .commands import Ram, ask, fields_text, ram_text
from .errors import InputError, MachineError
from .progress import ProgressOption, watching

__all__ = ["Collected", "Job", "Question", "Runner", "collect", "list", "run"]


def __dir__() -> builtins.list[str]:
    return sorted(__all__)


Question = str | Iterable[str] | Mapping[str, Any]
"""A command line: ``"tours count 6x8 --closed"``, or its words; or what the commands about jobs read."""


@dataclass(frozen=True)
class Job:
    """A part of a question that can be done alone."""

    id: str
    """Its name."""
    weight: int
    """How large it is beside the others of the question."""
    after: tuple[str, ...]
    """The jobs that must be finished before."""
    stage: int
    """The number of its stage: jobs need only jobs of lower stages."""
    group: int
    """The number of its group: the jobs of a group share work and follow one another."""


@dataclass(frozen=True)
class Collected:
    """What the results of a question come to; without results while some are missing."""

    missing: tuple[str, ...]
    """The jobs that are not finished."""
    count: int | None = None
    """The number of tours."""
    by_start: dict[str, int] | None = None
    """The directed open tours from each square, if asked for."""
    endings: tuple[str, ...] | None = None
    """The endings whose tables are there."""


def parsed(question: Question) -> dict[str, Any]:
    """Return a question as the commands about jobs read it."""
    if isinstance(question, Mapping):
        return dict(question)
    try:
        words = shlex.split(question) if isinstance(question, str) else builtins.list(question)
    except ValueError as error:
        message = f"{question!r} is not a command line: {error}"
        raise InputError(message) from None
    read: dict[str, Any] = json.loads(_native.job_question(words))
    return read


def list(
    question: Question, *, threads: int | None = None, ram: Ram = None, progress: ProgressOption = False
) -> builtins.list[Job]:
    """Return the jobs of a question, the largest first, but after those that they need.

    Raises:
        InputError: The question is wrong, or does not fall into jobs.
        BudgetError: The plan of the question does not fit ``ram``.

    """
    answer = ask("jobs list", threads=threads, ram=ram, progress=progress, question=parsed(question))
    return [Job(**{**job, "after": tuple(job.get("after", ()))}) for job in answer["jobs"]]


class Runner:
    """Runs jobs of a question; what several of them need is computed once and kept for further calls."""

    def __init__(self, question: Question, *, threads: int | None = None, ram: Ram = None):
        """Check the question; the memory of ``ram`` is that of all calls.

        Raises:
            InputError: The question is wrong, or does not fall into jobs.

        """
        self._native = _native.JobRunner(fields_text(parsed(question)), threads, ram_text(ram))

    def run(
        self,
        ids: Iterable[str],
        out: str | os.PathLike[str] | None = None,
        *,
        finished: Mapping[str, bytes] | None = None,
        progress: ProgressOption = False,
    ) -> dict[str, bytes]:
        """Run jobs one after the other, and return the files of their results by name; see `run`."""
        ids = builtins.list(ids)
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()) if out is None else out)
            store(folder, finished or {})
            self._native.run(ids, folder, stack.enter_context(watching(progress)))
            return {id: result_file(folder, id).read_bytes() for id in ids}


def run(
    question: Question,
    ids: Iterable[str],
    out: str | os.PathLike[str] | None = None,
    *,
    finished: Mapping[str, bytes] | None = None,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> dict[str, bytes]:
    """Run jobs one after the other, and return the files of their results by name.

    Args:
        question: The question.
        ids: The names of the jobs; what several of them need is computed once.
        out: A directory that keeps the results; those that are there are not made again.
        finished: Results of jobs that must be finished before, where ``out`` does not have them.
        threads: The number of threads; by default as many as there are cores.
        ram: The memory that the work may take, in bytes or as text such as ``"2G"``.
        progress: ``True`` for a bar, or a function that is called with a `Progress`.

    Raises:
        InputError: The question is wrong, there is no such job, or one that it needs is not finished.
        BudgetError: A job does not fit ``ram``.

    """
    return Runner(question, threads=threads, ram=ram).run(ids, out, finished=finished, progress=progress)


def collect(
    question: Question,
    out: str | os.PathLike[str] = "jobs",
    *,
    threads: int | None = None,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> Collected:
    """Put the results of all jobs in a directory together.

    Raises:
        InputError: The question is wrong, or the directory is missing or has files of another one or damaged ones.

    """
    asked = parsed(question)
    answer = ask("jobs collect", threads=threads, ram=ram, progress=progress, out=os.fspath(out), question=asked)
    result = answer.get("result", {})
    tours, tables = result.get("tours", {}), result.get("tables", {})
    by_start = tours.get("by_start")
    return Collected(
        tuple(answer["missing"]),
        int(tours["count"]) if tours else None,
        by_start and {square: int(count) for square, count in by_start.items()},
        tuple(tables["endings"]) if tables else None,
    )


def result_file(folder: Path, id: str) -> Path:
    """Return where the result of a job is kept."""
    return folder / f"{id}.json"


def store(folder: Path, results: Mapping[str, bytes]) -> None:
    """Write the files of results into a directory: under its name a file is complete and on the disk.

    Raises:
        MachineError: The directory cannot be made or written.

    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for id, content in results.items():
            path = result_file(folder, id)
            draft = Path(f"{path}.{os.getpid()}-{threading.get_ident()}.draft")
            with draft.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
    except OSError as error:
        message = f"cannot write results: {error}"
        raise MachineError(message) from error
