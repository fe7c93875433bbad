"""How far a computation is: `progress=True` shows a bar, `progress=function` calls the function with a `Progress`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Progress", "ProgressOption"]


def __dir__() -> list[str]:
    return sorted(__all__)


@dataclass(frozen=True)
class Progress:
    """The state of a computation at one moment."""

    stage: str
    """What the phase is part of, such as ``experiment 3 of 9``; empty if there is only one phase."""
    part: str
    """Which part the phase belongs to, such as ``table 3 of 6``; empty if there are none."""
    phase: str
    """What is being done, in words."""
    done: int
    """Parts of the phase that are done: jobs, layers, blocks."""
    total: int
    """Parts of the phase in all; 0 while unknown."""
    work: int
    """Units of work so far: nodes, states, transitions."""
    seconds_left: float | None
    """Seconds left as the computation itself expects them, where it does."""


ProgressOption = bool | Callable[[Progress], object]
"""``True`` for a bar, ``False`` for nothing, or a function that is called about ten times a second."""

Watcher = Callable[[str, str, str, int, int, int, "float | None"], None]


@contextlib.contextmanager
def watching(progress: ProgressOption) -> Iterator[Watcher | None]:
    """Yield what the native module calls about ten times a second, or nothing."""
    if progress is False or progress is None:
        yield None
    elif progress is True:
        # Only who wants a bar pays for its import.
        from tqdm.auto import tqdm

        with tqdm(unit="") as bar:
            yield _bar(bar)
    else:
        function = progress
        yield lambda *state: void(function(Progress(*state)))


def void(_: object) -> None:
    """Drop the result of a callback."""


# Without the time that is left: parts of a phase take different times.
_WITH_TOTAL = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"
_WITHOUT_TOTAL = "{desc}: {n_fmt} [{elapsed}{postfix}]"


def _bar(bar: Any) -> Watcher:
    phase_before = ""

    def show(stage: str, part: str, phase: str, done: int, total: int, work: int, left: float | None) -> None:
        nonlocal phase_before
        phase_now = " ".join(text for text in (stage, part, phase) if text)
        if phase_now != phase_before:
            phase_before = phase_now
            bar.reset(total=total or None)
            bar.set_description(phase_now)
            bar.bar_format = _WITH_TOTAL if total else _WITHOUT_TOTAL
        bar.total = total or None
        bar.n = done if total else work
        if left is not None:
            bar.set_postfix_str(f"about {left:.0f} s left")
        bar.refresh()

    return show
