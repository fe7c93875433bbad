"""Jobs, and jobs on the workers of Dask: counts that are known, and workers and clients that are killed or stopped."""

from __future__ import annotations

import contextlib
import itertools
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import dask.config
import everymove
import pytest
from distributed import Client, LocalCluster
from everymove import cluster, jobs
from everymove.progress import Progress

OPEN_6X8 = ("tours count 6x8", 24964893804)


@contextlib.contextmanager
def two_workers() -> Iterator[Client]:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="4GiB") as started,
        Client(started) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with two_workers() as client:
        yield client


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what must happen; the limit only ends a test that fails."""
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def prepare_signal(number: int, flag: str) -> None:
    """In a worker: its third task, if it is the first worker to come to it, sends its process a signal."""
    run, calls = jobs.Runner.run, itertools.count(1)

    def signalled(self: jobs.Runner, *args: Any, **options: Any) -> dict[str, bytes]:
        if next(calls) == 3:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), number)
        return run(self, *args, **options)

    jobs.Runner.run = signalled  # type: ignore[method-assign]


def after_the_first_task(number: int) -> Callable[[Progress], None]:
    def show(state: Progress) -> None:
        if state.done:
            signal.raise_signal(number)

    return show


def test_jobs_are_run_in_parts(tmp_path: pathlib.Path) -> None:
    question = "tours count 6x7 --closed"
    names = [job.id for job in jobs.list(question)]
    runner = jobs.Runner(question.split(), threads=1)
    first = runner.run(names[::2])
    second = runner.run(names[1::2], tmp_path)
    assert sorted({**first, **second}) == sorted(names)
    found = jobs.collect(question, tmp_path)
    assert found == jobs.Collected(tuple(names[::2]))
    jobs.store(tmp_path, first)
    assert jobs.collect(question, tmp_path).count == 1067638
    with pytest.raises(everymove.InputError, match="another question"):
        jobs.collect("tours count 5x6", tmp_path)
    with pytest.raises(everymove.InputError, match="there is no job class-9999"):
        jobs.run(question, ["class-9999"])


def test_known_counts(client: Client, tmp_path: pathlib.Path) -> None:
    assert cluster.run("tours count 6x7 --closed", tmp_path / "classes", client=client).count == 1067638
    found = cluster.run("tours count 5x5 --by-start", tmp_path / "starts", client=client)
    assert found.count == 1728
    assert found.by_start == everymove.tours.count_by_start("5x5")


def test_what_jobs_share_is_dropped_after_the_last(client: Client, tmp_path: pathlib.Path) -> None:
    client.run(lambda: setattr(cluster, "KEPT_SECONDS", 0))
    assert cluster.run("tours count 6x7 --closed", tmp_path, client=client).count == 1067638

    def kept() -> bool:
        lengths: Any = client.run(lambda: len(cluster.kept))
        return any(lengths.values())

    wait_until(lambda: not kept())
    client.run(lambda: setattr(cluster, "KEPT_SECONDS", 60))


def test_endings_in_order(client: Client, folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    question = ["tables", "build", "--all", "3", "--out", str(tmp_path / "tables")]
    endings = {job.id: job.after for job in jobs.list(question)}
    assert {"KQvK", "KRvK"} < set(endings["KPvK"])
    found = cluster.run(question, tmp_path / "jobs", client=client)
    assert set(found.endings or ()) == set(endings)
    for ending in ("KQvK", "KPvK"):
        made = tmp_path / "tables" / f"{ending}.dtm"
        assert made.read_bytes() == (folder / made.name).read_bytes()
    # Those that are needed may be finished from an earlier run.
    (tmp_path / "jobs" / "KPvK.json").unlink()
    assert cluster.run(question, tmp_path / "jobs", client=client) == found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_is_killed_or_hangs(number: int, tmp_path: pathlib.Path) -> None:
    question, count = OPEN_6X8
    flag = tmp_path / "signalled"
    # A result that was not fetched from the killed worker is made again when no connection is made.
    limits = {"distributed.scheduler.worker-ttl": "5s", "distributed.comm.timeouts.connect": "10s"}
    with dask.config.set(limits), two_workers() as client:
        client.run(prepare_signal, number, str(flag))
        assert cluster.run(question, tmp_path / "jobs", client=client).count == count
    assert flag.exists()


def test_a_killed_client_resumes(client: Client, tmp_path: pathlib.Path) -> None:
    question, count = OPEN_6X8
    script = f"""
import signal
from everymove import cluster
kill = lambda state: state.done and signal.raise_signal(signal.SIGKILL)
cluster.run({question!r}, {str(tmp_path)!r}, client={client.scheduler_info()["address"]!r}, progress=kill)
"""
    done = subprocess.run([sys.executable, "-c", script], check=False)
    assert done.returncode == -signal.SIGKILL
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    missing = len(jobs.collect(question, tmp_path).missing)
    assert (len(kept) > 0, missing > 0) == (True, True)
    shown: list[Progress] = []
    assert cluster.run(question, tmp_path, client=client, progress=shown.append).count == count
    assert shown[-1].total == missing
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    # Nothing is left to do, so no scheduler is asked.
    assert cluster.run(question, tmp_path, client="nowhere").count == count


def test_ctrl_c_cancels_what_is_queued(client: Client, tmp_path: pathlib.Path) -> None:
    question, count = OPEN_6X8
    with pytest.raises(KeyboardInterrupt):
        cluster.run(question, tmp_path, client=client, progress=after_the_first_task(signal.SIGINT))
    wait_until(lambda: not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))
    assert jobs.collect(question, tmp_path).missing
    assert cluster.run(question, tmp_path, client=client).count == count


def program(*words: str) -> list[str]:
    return [sys.executable, "-m", "everymove.cluster", *words]


def test_the_program_starts_workers(tmp_path: pathlib.Path) -> None:
    done = subprocess.run(
        program("--quiet", "--", "tours", "count", "5x5", "--by-start"),
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["1728", "a1 304"]
    # As from a terminal, all processes are interrupted.
    with subprocess.Popen(
        program("--", "tours", "count", "7x8"),
        stderr=subprocess.PIPE, text=True, cwd=tmp_path, start_new_session=True,
    ) as running:  # fmt: skip
        assert running.stderr
        assert running.stderr.read(1)
        os.killpg(running.pid, signal.SIGINT)
        lines = running.stderr.read().splitlines()
        assert running.wait() == 3
    assert "everymove: stopped" in lines[-1], lines


def test_errors_are_one_line(client: Client, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question, _ = OPEN_6X8
    with pytest.raises(everymove.InputError, match="'tours find' does not fall into jobs"):
        cluster.run("tours find 8x8", tmp_path)
    with pytest.raises(everymove.InputError, match="are no part of a question"):
        cluster.run("tours count 8x8 --threads 2", tmp_path)
    with pytest.raises(everymove.InputError, match="cannot use 0 threads"):
        cluster.run(question, tmp_path, threads=0)
    with pytest.raises(
        everymove.MachineError, match=r"154 of 154 jobs failed, the first is class-.*budget is 13M"
    ) as failed:
        cluster.run(question, tmp_path, client=client, ram="13M", retries=1)
    assert "\n" not in str(failed.value)
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(everymove.MachineError, match=r"cannot connect to the scheduler tcp://127\.0\.0\.1:9"),
    ):
        cluster.run(question, tmp_path, client="tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(everymove.MachineError, match=r"pip install everymove\[cluster\]$"):
        cluster.run(question, tmp_path)
