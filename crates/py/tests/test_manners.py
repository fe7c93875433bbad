"""Ctrl-C, progress, budgets, threads, errors, sub-interpreters."""

from __future__ import annotations

import concurrent.futures
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import everymove
import numpy as np
import pytest
from everymove import pegs, tours
from everymove.progress import Progress

INTERRUPTED = """
import os, signal, sys, threading, time
import everymove
from everymove import engine, lab, pegs, tables, tours
# A shell starts its background commands with SIGINT ignored, and so would be what they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
sent = []
def interrupt():
    time.sleep(0.6)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    {work}
except KeyboardInterrupt:
    late = time.monotonic() - sent[0]
else:
    sys.exit("not interrupted")
cpu = time.process_time()
time.sleep(0.5)
print(late, time.process_time() - cpu)
"""

# The budgets are given, since half of what other programs leave free may be too little; only a part of them is used.
LONG = {
    "count": 'tours.count("8x8", threads=1, ram="8G")',
    "find": 'while True: tours.find("3000x3000", threads=1)',
    "list": 'sum(1 for tour in tours.list("8x8"))',
    "sample": 'tours.sample("7x8", number=10**7, ram="8G")',
    "pegs": 'pegs.Board("european", start="d2", finish="d3").count(ram="8G")',
    "solve": 'pegs.Board("english").solve(method="dfs", order="random:1")',
    "tables": 'tables.build("KRBvKR", "interrupted", ram="1G")',
    "engine": 'engine.Engine().play("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", time=60)',
    "lab": 'lab.run("quick")',
}


@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_stops_the_work(work: str, tmp_path: object) -> None:
    script = INTERRUPTED.format(work=LONG[work])
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=str(tmp_path), timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    late, cpu = map(float, done.stdout.split())
    print(f"{work}: KeyboardInterrupt after {late:.3f} s; {cpu:.3f} CPU-seconds in the half second after it")


def test_the_interpreter_is_free_during_work() -> None:
    # While a count is under way in another thread, this thread runs Python code.
    started, ticks = threading.Event(), 0

    def note(_: Progress) -> None:
        started.set()

    with concurrent.futures.ThreadPoolExecutor() as pool:
        future = pool.submit(tours.count, "7x7", threads=1, progress=note)
        started.wait(60)
        while not future.done():
            ticks += 1
            time.sleep(0.001)
        assert future.result() == 82787609160
    assert ticks > 10


def test_many_threads_ask_at_once() -> None:
    boards = ["5x5", "5x6", "6x6", "4x7"] * 4
    alone = [tours.count(board) for board in boards]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(tours.count, boards)) == alone
        samples = pool.map(lambda seed: tours.sample("5x6", seed=seed), range(32))
        assert list(samples) == [tours.sample("5x6", seed=seed) for seed in range(32)]
        board = pegs.Board("triangle5")
        hints = list(pool.map(lambda _: board.hint().jumps, range(32)))
        assert len(set(hints)) == 1
    shared = tours.list("5x5")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        lists = list(pool.map(lambda _: list(shared), range(4)))
    found = [tour for part in lists for tour in part]
    assert len(found) == len(set(found)) == 864


def test_progress_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    seen: list[Progress] = []
    tours.count("6x8", closed=True, progress=seen.append)
    assert seen
    assert seen[-1].work > 0
    assert seen[-1].phase
    tours.count("6x7", closed=True, progress=True)
    assert "counting" in capfd.readouterr().err or seen[-1].phase
    with pytest.raises(ZeroDivisionError):
        tours.count("6x7", closed=True, progress=lambda _: 1 // 0)


def test_budgets_are_refused_before_the_work() -> None:
    with pytest.raises(everymove.BudgetError) as refused:
        tours.count("8x8", ram="20M")
    assert isinstance(refused.value, MemoryError)
    assert "needs at least" in str(refused.value)
    assert refused.value.need > 20 << 20
    with pytest.raises(everymove.BudgetError, match="the program itself needs at least 12M"):
        tours.count("5x5", ram="1")
    with pytest.raises(everymove.InputError) as wrong:
        tours.count("8x8", ram="much")
    assert wrong.value.field == "ram"
    with pytest.raises(everymove.InputError, match="cannot use 0 threads"):
        tours.count("8x8", threads=0)
    assert tours.count("6x6", closed=True, ram=100 << 20, threads=1) == 9862


def test_errors_are_one_line_and_pickle() -> None:
    with pytest.raises(ValueError, match=r"^'5 5' is not a board: write 5x5$") as wrong:
        tours.count("5 5")
    error = wrong.value
    assert isinstance(error, everymove.InputError)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.field) == (str(error), "board")
    with pytest.raises(everymove.InputError, match="did you mean tours count"):
        everymove.ask("tours coutn", board="5x5")
    with pytest.raises(everymove.InputError, match="'bord' is not a field"):
        everymove.ask("tours count", bord="5x5")
    with pytest.raises(everymove.InputError):
        pegs.Board("no such board")


def test_every_command_has_a_door() -> None:
    commands = everymove.schema()["commands"]
    assert len(commands) > 35
    missing = []
    for command in commands:
        try:
            everymove.ask(command, threads=1, no_such_field=1)
        except everymove.InputError as error:
            if "there is no command" in str(error):
                missing.append(command)
    assert missing == []


def test_answers_carry_their_work() -> None:
    answer = everymove.ask("tours count", board="6x6", closed=True)
    assert answer["command"] == "tours count"
    assert answer["count"] == "9862"
    assert answer["work"]
    assert answer["version"] == everymove.__version__


def test_numpy_arrays_belong_to_python() -> None:
    tour = tours.find("5x5")
    steps = tour.steps
    steps[0, 0] = 99
    assert tour.steps[0, 0] != 99
    assert np.shares_memory(steps, tour.steps) is False


def test_sub_interpreters_are_refused_or_work() -> None:
    script = textwrap.dedent(
        """
        import everymove
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        other = interpreters.create()
        code = "import everymove._native"
        try:
            run = getattr(interpreters, "exec", None) or interpreters.run_string
            error = run(other, code)
        except Exception as raised:
            error = raised
        print("refused" if error is not None else "works", everymove.tours.count("6x6", closed=True))
        """
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1] == "9862"


def test_forked_processes_work() -> None:
    assert tours.count("6x6", closed=True) == 9862
    child = os.fork()
    if child == 0:
        os._exit(0 if tours.count("5x6") == 18784 else 1)
    for _ in range(600):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the child did not end")
    assert os.waitstatus_to_exitcode(status) == 0
