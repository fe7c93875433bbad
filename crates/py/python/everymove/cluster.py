"""Large questions on the workers of a Dask cluster: `run`, and ``python -m everymove.cluster``.

Each group of jobs (`everymove.jobs`) that share work is a task. Results are kept in a directory as they come: a run
that was stopped is resumed from them. Dask is installed by ``pip install everymove[cluster]``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import jobs
from .commands import Ram
from .errors import EverymoveError, InputError, MachineError
from .progress import ProgressOption, Watcher, watching

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["main", "run"]


def __dir__() -> list[str]:
    return sorted(__all__)


MEMORY_SHARE = 0.6
"""The part of its memory limit that a worker gives to jobs: Dask warns of 0.7 and pauses a worker at 0.8."""


def run(
    question: jobs.Question,
    out: str | os.PathLike[str] = "jobs",
    *,
    client: Client | str | None = None,
    retries: int = 3,
    threads: int = 1,
    ram: Ram = None,
    progress: ProgressOption = False,
) -> jobs.Collected:
    """Run the jobs of a question that are not finished on a Dask cluster, and return what all of them come to.

    Args:
        question: A command line that falls into jobs, such as ``"tours count 9x9"``.
        out: A directory that keeps the results; only the calling process uses it.
        client: A ``distributed.Client``, or the address of a scheduler; without one, workers are started on this
            machine, one for each ``threads`` of its cores.
        retries: How many times a job that fails is run again. A job whose worker is lost is run again anyway.
        threads: The number of threads of a job.
        ram: The memory that a job may take; by default 60 % of the memory limit of its worker, divided by the number of
            tasks that it runs at once.
        progress: ``True`` for a bar, or a function that is called with a `Progress`: jobs done and in all.

    Raises:
        InputError: The question is wrong, or the directory has results of another one.
        MachineError: Dask is not installed, there is no scheduler, or jobs failed; the results of others are kept.
        KeyboardInterrupt: Ctrl-C; what is queued has been cancelled.

    """
    asked, folder = jobs.parsed(question), Path(out)
    if asked["command"] == "tables build":
        # Workers may have another current directory.
        asked["request"]["out"] = os.path.abspath(asked["request"]["out"] or "tables")
    # What is wrong with the question or the budget is found here.
    jobs.Runner(asked, threads=threads, ram=ram)
    jobs.store(folder, {})
    if any(folder.iterdir()):
        # Results of another question are found before there is work.
        jobs.collect(asked, folder)
    todo = [job for job in jobs.list(asked) if not jobs.result_file(folder, job.id).exists()]
    if todo:
        with connected(client, threads) as workers, watching(progress) as watcher:
            compute(workers, asked, todo, folder, retries, (threads, ram), watcher or (lambda *_: None))
    return jobs.collect(asked, folder)


def compute(
    client: Client,
    question: Mapping[str, Any],
    todo: Sequence[jobs.Job],
    folder: Path,
    retries: int,
    budget: Budget,
    show: Watcher,
) -> None:
    """Run jobs, those of a group as one task, and store their results as they come; an exception cancels the others."""
    from distributed import as_completed

    futures: dict[str, Future[dict[str, bytes]]] = {}
    tasks: dict[Future[dict[str, bytes]], Sequence[str]] = {}
    failed: dict[str, Exception] = {}
    done = 0
    try:
        for _, group in groupby(todo, key=lambda job: job.group):
            members = list(group)
            ids = [job.id for job in members]
            needs = {need for job in members for need in job.after}.difference(ids)
            stored = {need: jobs.result_file(folder, need).read_bytes() for need in needs.difference(futures)}
            before = [stored, *(futures[need] for need in needs.intersection(futures))]
            # The first are the largest.
            settings = {"retries": retries, "priority": -len(tasks), "pure": False}
            future = client.submit(work, question, ids, before, budget, **settings)
            tasks[future] = ids
            futures.update(dict.fromkeys(ids, future))
        show("", "", "jobs", 0, len(todo), 0, None)
        for future in as_completed(list(tasks)):
            try:
                # If it is lost with its worker by now, it is made again.
                results = future.result()
            except CancelledError:
                message = "the scheduler is lost: the same question runs the jobs that are not finished"
                raise MachineError(message) from None
            except Exception as error:
                failed.update(dict.fromkeys(tasks[future], error))
            else:
                jobs.store(folder, results)
                done += len(results)
            show("", "", "jobs", done, len(todo), done, None)
    finally:
        client.cancel(list(tasks))
    for id, reason in failed.items():
        line = f"{len(failed)} of {len(todo)} jobs failed, the first is {id}: {reason}".replace("\n", " ")
        raise MachineError(line) from reason


Budget = tuple[int, Ram]
"""The threads and the memory of a job."""

Kept = tuple[tuple[Mapping[str, Any], Budget], jobs.Runner]

kept: dict[int, Kept] = {}
"""In a worker: the question of the last task of each thread, and its runner, which has what the jobs share."""

KEPT_SECONDS = 60
"""How long it is kept when there is no further task."""


def dask_setup(_: object) -> None:
    """Prepare a worker that `run` starts: Ctrl-C of a terminal reaches it too, but is for the calling process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def work(
    question: Mapping[str, Any], ids: Sequence[str], before: Sequence[Mapping[str, bytes]], budget: Budget
) -> dict[str, bytes]:
    """Run jobs in a worker, given the results of those that must be finished before."""
    from distributed import get_worker

    worker, thread, asked = get_worker(), threading.get_ident(), (question, budget)
    limit = worker.memory_manager.memory_limit
    threads, ram = budget
    if ram is None and limit:
        ram = int(MEMORY_SHARE * limit / worker.state.nthreads)
    # While it runs it is not there: it is neither dropped then, nor kept after an error or beside another one.
    last = kept.pop(thread, None)
    runner = last[1] if last and last[0] == asked else None
    del last
    runner = runner or jobs.Runner(question, threads=threads, ram=ram)
    results = runner.run(ids, finished={id: content for part in before for id, content in part.items()})
    kept[thread] = asked, runner
    worker.loop.add_callback(worker.loop.call_later, KEPT_SECONDS, forget, thread, kept[thread])
    return results


def forget(thread: int, runner: Kept) -> None:
    """Drop the runner of a thread, if it has not been used since it was put there."""
    if kept.get(thread) is runner:
        del kept[thread]


@contextlib.contextmanager
def connected(client: Client | str | None, threads: int) -> Iterator[Client]:
    """Yield a client of the cluster that is asked for; what is started here ends here."""
    try:
        import distributed
        from dask.system import CPU_COUNT
    except ImportError as error:
        message = f"Dask is not installed ({error}): pip install everymove[cluster]"
        raise MachineError(message) from None
    if isinstance(client, distributed.Client):
        yield client
        return
    with contextlib.ExitStack() as stack:
        scheduler: Any = client
        if scheduler is None:
            # Errors of jobs are reported by `run`.
            options = {"threads_per_worker": 1, "silence_logs": "CRITICAL", "preload": __name__}
            local = distributed.LocalCluster(n_workers=max(CPU_COUNT // threads, 1), **options)
            scheduler = stack.enter_context(local)
        try:
            connected = stack.enter_context(distributed.Client(scheduler))
        except (OSError, TypeError, ValueError) as error:
            message = f"cannot connect to the scheduler {scheduler}: {error}".replace("\n", " ")
            raise MachineError(message) from None
        yield connected


def main() -> int:
    """Run a question given on the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m everymove.cluster", description="Runs a question in jobs with Dask."
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a scheduler of Dask [default: workers on this machine]")
    parser.add_argument("--out", metavar="DIR", default="jobs", help="the directory of the results [default: jobs]")
    parser.add_argument("--retries", metavar="N", type=int, default=3, help="how often a job that fails is run again")
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="threads of a job [default: 1]")
    parser.add_argument("--ram", metavar="SIZE", help="memory of a job [default: 60 %% of the limit of its worker]")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("question", metavar="COMMAND", nargs="+", help="the question after --, such as tours count 9x9")
    given = vars(parser.parse_args())
    # Ended by a batch system, it cancels what is queued as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        found = run(given.pop("question"), client=given.pop("scheduler"), progress=not given.pop("quiet"), **given)
    except KeyboardInterrupt:
        print("everymove: stopped: the same command runs the jobs that are not finished", file=sys.stderr)
        return 3
    except EverymoveError as error:
        print(f"everymove: {error}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else 3
    if found.count is not None:
        print(found.count)
    for square, count in (found.by_start or {}).items():
        print(square, count)
    for ending in found.endings or ():
        print(ending)
    return 0


if __name__ == "__main__":
    # The workers find what they call under the name of the module.
    from everymove import cluster

    sys.exit(cluster.main())
