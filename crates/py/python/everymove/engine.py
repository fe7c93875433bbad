"""A chess engine with five parallel searches, under the conventions of ``chess.engine`` of python-chess.

Positions are FEN texts or boards of python-chess. For a ``chess.Board`` the results are python-chess's own objects
(``chess.Move``, ``chess.engine.PovScore``), for a FEN they are texts and `Score`. The same engine speaks UCI as the
program ``everymove-uci``: ``chess.engine.SimpleEngine.popen_uci("everymove-uci")``.

>>> from everymove.engine import Engine
>>> engine = Engine(threads=1)
>>> engine.play("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", depth=4).move
'e1e8'
>>> engine.analyse("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", depth=4)["score"]
Score(#1)
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, overload

from . import _native
from .commands import ask, fields_text, ram_text
from .progress import ProgressOption, watching
from .tables import fen_of

if TYPE_CHECKING:
    import chess
    import chess.engine

__all__ = ["Engine", "Info", "Played", "Score", "compare", "perft", "strategies"]


def __dir__() -> list[str]:
    return sorted(__all__)


@dataclass(frozen=True)
class Score:
    """A score for the side to move: centipawns, or moves to mate."""

    cp: int | None
    """Hundredths of a pawn; ``None`` for a mate."""
    mate: int | None
    """Moves to mate, negative if the side to move is mated; ``None`` without a mate."""

    def __repr__(self) -> str:
        return f"Score({self})"

    def __str__(self) -> str:
        return f"#{self.mate}" if self.cp is None else f"{self.cp / 100:+.2f}"


class _Bounds(TypedDict, total=False):
    lowerbound: bool
    """Whether the search of the line was interrupted, and the score is at least so much."""
    upperbound: bool
    """Whether it was interrupted, and the score is at most so much."""


class Info(_Bounds):
    """What an analysis found, with the keys of ``chess.engine.InfoDict``."""

    depth: int
    """Depth of the last complete iteration in plies; 0 if the answer was known without a search."""
    seldepth: int
    """The deepest ply that was visited."""
    multipv: int
    """The number of the line, from 1."""
    nodes: int
    """Nodes of all threads."""
    nps: int
    """Nodes for each second."""
    time: float
    """Seconds."""
    hashfull: int
    """Entries of this search in the hash table, in thousandths."""
    tbhits: int
    """Positions found in endgame tables."""
    score: Any
    """A `Score`, or a ``chess.engine.PovScore`` if the position was a ``chess.Board``; ``None`` if the game is over."""
    pv: list[Any]
    """The expected moves in UCI notation, or as ``chess.Move``."""
    string: str
    """The expected moves in standard algebraic notation, numbered."""


@dataclass(frozen=True)
class Played:
    """The engine's move in a position given as FEN."""

    move: str | None
    """The move in UCI notation; ``None`` only if there is no legal move."""
    san: str | None
    """The move in standard algebraic notation."""
    ponder: str | None
    """The reply that the engine expects."""
    info: Info = field(repr=False)
    """What the search found."""


def strategies() -> tuple[str, ...]:
    """Return the names of the parallel searches.

    >>> from everymove import engine
    >>> engine.strategies()
    ('Sequential', 'RootSplitting', 'YBWC', 'ABDADA', 'LazySMP')
    """
    return tuple(_native.Engine.strategies())


class Engine:
    """A chess engine that keeps its hash table between searches.

    It needs no process and no ``quit``; ``with`` works as for the engines of python-chess. One search runs at a time:
    calls from several threads wait for each other.

    Args:
        threads: Search threads; by default as many as there are cores.
        hash: Size of the hash table, in bytes or as text; by default 64M.
        strategy: How the threads share the work, see `strategies`; by default LazySMP.
        tables: A folder with tables of `everymove.tables.build`: positions in them are known to the ply.
        syzygy_path: Folders with Syzygy tables, separated as in a search path. Those that cannot be used are left out
            with a warning, if others can.

    Raises:
        InputError: An argument is wrong.

    """

    def __init__(
        self,
        *,
        threads: int | None = None,
        hash: int | str | None = None,
        strategy: str | None = None,
        tables: str | os.PathLike[str] | None = None,
        syzygy_path: str | os.PathLike[str] | None = None,
    ) -> None:
        options = {
            "threads": threads,
            "hash": ram_text(hash),
            "strategy": strategy,
            "tables": None if tables is None else os.fspath(tables),
            "syzygy_path": None if syzygy_path is None else os.fspath(syzygy_path),
        }
        self._engine = _native.Engine(fields_text(options))

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: the engine has no process. Its memory is freed with the object."""

    quit = close

    def clear(self) -> None:
        """Clear the hash table and all that was learnt: the next search is that of a new engine."""
        self._engine.clear()

    @overload
    def play(
        self,
        position: str,
        limit: chess.engine.Limit | None = None,
        *,
        moves: Iterable[str] = (),
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        clock: float | None = None,
        increment: float | None = None,
        elo: int | None = None,
        root_moves: Iterable[Any] | None = None,
        progress: ProgressOption = False,
    ) -> Played: ...

    @overload
    def play(
        self,
        position: chess.Board,
        limit: chess.engine.Limit | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        clock: float | None = None,
        increment: float | None = None,
        elo: int | None = None,
        root_moves: Iterable[Any] | None = None,
        progress: ProgressOption = False,
    ) -> chess.engine.PlayResult: ...

    def play(
        self,
        position: str | chess.Board,
        limit: chess.engine.Limit | None = None,
        *,
        moves: Iterable[str] = (),
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        clock: float | None = None,
        increment: float | None = None,
        elo: int | None = None,
        root_moves: Iterable[Any] | None = None,
        progress: ProgressOption = False,
    ) -> Played | chess.engine.PlayResult:
        """Return the engine's move.

        Args:
            position: A FEN, or a ``chess.Board``, whose earlier moves count for repetitions.
            limit: A ``chess.engine.Limit``.
            moves: Moves that were made since the FEN, in UCI or standard algebraic notation.
            depth: The last iteration in plies.
            nodes: Nodes of all threads.
            time: Seconds for the move.
            mate: Stop at a mate in this number of moves.
            clock: Seconds that the side to move has left for the rest of the game.
            increment: Seconds added to the clock after each move.
            elo: Play as a rating from 800 to 3000.
            root_moves: Consider only these moves.
            progress: ``True`` for a bar, or a function.

        Raises:
            InputError: Nothing limits the search, or an argument is wrong.

        """
        request = _request(position, limit, moves, depth, nodes, time, mate, clock, increment, root_moves)
        request["elo"] = elo
        answer = self._search(request, progress, None)
        info = _infos(position, answer["report"])[0]
        if isinstance(position, str):
            return Played(answer["best"], answer["san"], answer["ponder"], info)
        import chess
        import chess.engine

        best, ponder = (None if text is None else chess.Move.from_uci(text) for text in _moves(answer))
        # The keys are those of python-chess, and so are the values.
        return chess.engine.PlayResult(best, ponder, info)  # type: ignore[arg-type]

    @overload
    def analyse(
        self,
        position: str | chess.Board,
        limit: chess.engine.Limit | None = None,
        *,
        multipv: None = None,
        moves: Iterable[str] = (),
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        root_moves: Iterable[Any] | None = None,
        progress: ProgressOption = False,
        updates: Callable[[list[Info]], object] | None = None,
    ) -> Info: ...

    @overload
    def analyse(
        self,
        position: str | chess.Board,
        limit: chess.engine.Limit | None = None,
        *,
        multipv: int,
        moves: Iterable[str] = (),
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        root_moves: Iterable[Any] | None = None,
        progress: ProgressOption = False,
        updates: Callable[[list[Info]], object] | None = None,
    ) -> list[Info]: ...

    def analyse(
        self,
        position: str | chess.Board,
        limit: chess.engine.Limit | None = None,
        *,
        multipv: int | None = None,
        moves: Iterable[str] = (),
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        root_moves: Iterable[Any] | None = None,
        progress: ProgressOption = False,
        updates: Callable[[list[Info]], object] | None = None,
    ) -> Info | list[Info]:
        """Return what the engine finds in a position: the best line, or a list of ``multipv`` lines.

        Args:
            position: A FEN, or a ``chess.Board``.
            limit: A ``chess.engine.Limit``.
            multipv: How many lines; without it one, which is not in a list.
            moves: Moves that were made since the FEN.
            depth: The last iteration in plies.
            nodes: Nodes of all threads.
            time: Seconds.
            mate: Stop at a mate in this number of moves.
            root_moves: Consider only these moves.
            progress: ``True`` for a bar, or a function.
            updates: Called with the lines of each iteration.

        """
        request = _request(position, limit, moves, depth, nodes, time, mate, None, None, root_moves)
        request["lines"] = multipv
        answer = self._search(request, progress, None if updates is None else _received(position, updates))
        infos = _infos(position, answer["report"])
        return infos[0] if multipv is None else infos

    def _search(
        self, request: dict[str, Any], progress: ProgressOption, updates: Callable[[str], object] | None
    ) -> dict[str, Any]:
        with watching(progress) as watcher:
            answer: dict[str, Any] = json.loads(self._engine.search(fields_text(request), watcher, updates))
        return answer


def _moves(answer: dict[str, Any]) -> tuple[str | None, str | None]:
    return answer["best"], answer["ponder"]


def _request(
    position: str | chess.Board,
    limit: chess.engine.Limit | None,
    moves: Iterable[str],
    depth: int | None,
    nodes: int | None,
    time: float | None,
    mate: int | None,
    clock: float | None,
    increment: float | None,
    root_moves: Iterable[Any] | None,
) -> dict[str, Any]:
    request: dict[str, Any] = {
        "depth": depth,
        "nodes": nodes,
        "time": time,
        "mate": mate,
        "clock": clock,
        "increment": increment,
        "root_moves": None if root_moves is None else [str(move) for move in root_moves],
    }
    if isinstance(position, str):
        request |= {"fen": position, "moves": list(moves)}
        white = position.split()[1:2] != ["b"]
    else:
        root = position.root()
        request |= {"fen": fen_of(root), "moves": [move.uci() for move in _played(position)]}
        white = position.turn
    if limit is not None:
        side = "white" if white else "black"
        theirs = {
            "depth": limit.depth,
            "nodes": limit.nodes,
            "time": limit.time,
            "mate": limit.mate,
            "clock": getattr(limit, f"{side}_clock"),
            "increment": getattr(limit, f"{side}_inc"),
            "moves_to_go": limit.remaining_moves,
        }
        request |= {name: value for name, value in theirs.items() if value is not None}
    return request


def _played(board: chess.Board) -> list[chess.Move]:
    return board.move_stack


def _received(position: str | chess.Board, updates: Callable[[list[Info]], object]) -> Callable[[str], None]:
    def receive(text: str) -> None:
        updates(_infos(position, json.loads(text)))

    return receive


def _infos(position: str | chess.Board, report: dict[str, Any]) -> list[Info]:
    seconds = report["time"]
    infos: list[Info] = []
    lines: Iterable[dict[str, Any] | None] = report["lines"] or (None,)
    for number, line in enumerate(lines, 1):
        info: Info = {
            "depth": report["depth"],
            "seldepth": line["seldepth"] if line else 0,
            "multipv": number,
            "nodes": report["nodes"],
            "nps": int(report["nodes"] / seconds) if seconds > 0 else 0,
            "time": seconds,
            "hashfull": report["hashfull"],
            "tbhits": report["tbhits"],
            "score": Score(line["cp"], line["mate"]) if line else None,
            "pv": line["pv"] if line else [],
            "string": line["san"] if line else "",
        }
        match line["bound"] if line else None:
            case "lower":
                info["lowerbound"] = True
            case "upper":
                info["upperbound"] = True
        if line and not isinstance(position, str):
            import chess
            import chess.engine

            score = chess.engine.Cp(line["cp"]) if line["mate"] is None else chess.engine.Mate(line["mate"])
            info["score"] = chess.engine.PovScore(score, position.turn)
            info["pv"] = [chess.Move.from_uci(move) for move in line["pv"]]
        infos.append(info)
    return infos


def perft(depth: int, fen: str | None = None, *, threads: int | None = None, progress: ProgressOption = False) -> int:
    """Return the number of move paths of a length, in plies, from a position; by default from the start.

    >>> from everymove import engine
    >>> engine.perft(4)
    197281
    """
    return int(ask("engine perft", threads=threads, progress=progress, depth=depth, fen=fen)["leaves"])


def compare(
    fen: str | None = None,
    *,
    positions: int | None = None,
    strategies: Iterable[str] = (),
    depth: int | None = None,
    time: float | None = None,
    threads: int | None = None,
    ram: int | str | None = None,
    progress: ProgressOption = False,
) -> list[dict[str, Any]]:
    """Search a position, or several of the bench, with several parallel strategies, each from an empty hash table.

    Returns:
        A dictionary for each search, with ``position``, ``strategy``, ``threads``, ``depth``, ``seconds``, ``nodes``,
        ``speedup``, ``node_ratio``, ``best`` and ``score``: ``pandas.DataFrame(compare(...))``.

    """
    answer = ask(
        "chess compare",
        threads=threads,
        ram=ram,
        progress=progress,
        fen=fen,
        positions=positions,
        strategies=list(strategies),
        depth=depth,
        time=time,
    )
    return [{name: value for name, value in row.items() if name != "workers"} for row in answer["searches"]]
