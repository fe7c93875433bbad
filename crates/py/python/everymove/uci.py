"""The engine for chess programs: the program ``everymove-uci``, or ``python -m everymove.uci``.

It speaks UCI over standard input and output, so that python-chess starts it as any engine:
``chess.engine.SimpleEngine.popen_uci("everymove-uci")``.
"""

from __future__ import annotations

import signal

from . import _native

__all__ = ["main"]


def main() -> None:
    """Speak UCI until ``quit`` or the end of the input."""
    # The reading of commands does not return to Python, which could raise KeyboardInterrupt only there.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _native.serve_uci()


if __name__ == "__main__":
    main()
