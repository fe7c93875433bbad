"""Peg solitaire against brute force in Python and known numbers (Beasley; Bell; OEIS A014225, A014227)."""

from __future__ import annotations

import functools
import pickle

import everymove
import pytest
from everymove import pegs


class Reference:
    """Peg solitaire by the rules alone: rows of text, no symmetry, a dictionary of positions."""

    def __init__(self, rows: str, triangular: bool) -> None:
        self.places = [(r, c) for r, row in enumerate(rows.split("/")) for c, sign in enumerate(row) if sign in "o."]
        steps = [(0, 1), (1, 0), (0, -1), (-1, 0)] + ([(1, 1), (-1, -1)] if triangular else [])
        at = {place: number for number, place in enumerate(self.places)}
        self.jumps = [
            (at[r, c], at[r + dr, c + dc], at[r + 2 * dr, c + 2 * dc])
            for r, c in self.places
            for dr, dc in steps
            if (r + dr, c + dc) in at and (r + 2 * dr, c + 2 * dc) in at
        ]

    def name(self, hole: int) -> str:
        row, col = self.places[hole]
        return f"{'abcdefghij'[col]}{row + 1}"

    def after(self, pegs: int) -> dict[str, int]:
        found = {}
        for a, b, c in self.jumps:
            if pegs >> a & 1 and pegs >> b & 1 and not pegs >> c & 1:
                found[f"{self.name(a)}-{self.name(c)}"] = pegs ^ (1 << a | 1 << b | 1 << c)
        return found

    def solutions(self, finish: set[int]) -> functools._lru_cache_wrapper[int]:
        @functools.cache
        def count(pegs: int) -> int:
            return 1 if pegs in finish else sum(map(count, self.after(pegs).values()))

        return count

    def full(self) -> int:
        return (1 << len(self.places)) - 1


TRIANGLE5 = Reference("o/oo/ooo/oooo/ooooo", triangular=True)


@pytest.mark.parametrize("start", [0, 1, 3, 4])
def test_solutions_of_the_triangle_equal_brute_force(start: int) -> None:
    everywhere = {1 << hole for hole in range(15)}
    count = TRIANGLE5.solutions(everywhere)
    board = pegs.Board("triangle5", start=TRIANGLE5.name(start), finish="anywhere")
    assert board.count().solutions == count(TRIANGLE5.full() ^ 1 << start)


def test_hints_of_the_triangle_equal_brute_force() -> None:
    count = TRIANGLE5.solutions({1})
    board = pegs.Board("triangle5", start="a1", finish="a1")
    seen: set[int] = set()
    todo = [TRIANGLE5.full() ^ 1]
    while todo and len(seen) < 400:
        position = todo.pop()
        if position in seen:
            continue
        seen.add(position)
        after = TRIANGLE5.after(position)
        todo += after.values()
        text = "/".join(
            "".join("o" if position >> TRIANGLE5.places.index((r, c)) & 1 else "." for c in range(r + 1))
            for r in range(5)
        )
        hint = board.hint(board.position(text), played=True)
        assert hint.winnable == (count(position) > 0)
        assert bool(hint) == hint.winnable
        assert set(hint.all_jumps) == set(after) == set(board.position(text).jumps)
        if hint.winnable:
            assert set(hint.jumps) == {jump for jump, pegs_after in after.items() if count(pegs_after) > 0}
            assert set(hint.losing_jumps) == set(after) - set(hint.jumps)
        assert int(board.position(text)) == position
    assert len(seen) == 400


def test_the_english_board() -> None:
    board = pegs.Board("english")
    solution = board.solve(shortest=True)
    # Bergholt 1912, proved by Beasley 1964.
    assert len(solution.moves) == 18
    assert solution.proved_shortest
    assert len(solution.jumps) == 31
    assert solution.game.solved
    assert len(solution.game.positions) == 32
    assert board.is_solvable()
    counts = board.count()
    assert counts.positions == 23_475_688
    assert counts.winning == 1_679_072
    # Bill Butler 2005.
    assert counts.solutions == 40_861_647_040_079_968
    assert counts.positions_by_pegs[32] == 1
    assert sum(counts.positions_by_pegs.values()) == counts.positions
    assert counts.work["jumps"] > 0


def test_boards_and_positions_are_values() -> None:
    board = pegs.Board("english", start="d1")
    for copy in (pickle.loads(pickle.dumps(board)), pegs.Board("english", start="d1")):
        assert copy == board
        assert hash(copy) == hash(board)
    assert board != pegs.Board("english")
    assert board != "english"
    position = board.start
    for other in (pickle.loads(pickle.dumps(position)), board.position(position.text)):
        assert other == position
        assert hash(other) == hash(position)
    assert position != pegs.Board("english").start
    assert eval(repr(position), {"Position": pegs.Position}) == position
    own = pegs.Board("ooo_/o.oo/oooo")
    assert pickle.loads(pickle.dumps(own)) == own
    triangle = pegs.Board("triangle6").start
    assert pickle.loads(pickle.dumps(triangle)) == triangle
    assert position.array.shape == (7, 7)
    assert (position.array == 1).sum() == position.pegs == len(position) == 32
    assert (position.array == -1).sum() == 16
    assert position.array[0, 3] == 0
    assert "d1" not in position
    assert "c1" in position
    assert len(position.filled) == 32
    assert len(position.holes) == len(board.holes) == 33
    assert position._repr_svg_().startswith("<svg")
    assert board._repr_svg_().startswith("<svg")


def test_games() -> None:
    board = pegs.Board("english")
    game = board.play("d2-d4 b3-d3")
    assert (game.end.pegs, len(game.positions), game.solved) == (30, 3, False)
    (jump, *_) = game.end.jumps
    assert game.play(jump).end == game.end.play(jump)
    assert game._repr_svg_().startswith("<svg")
    assert game.svg(animated=True).startswith("<svg")
    with pytest.raises(everymove.InputError, match="d4-d6"):
        board.play("d4-d6")


def test_hints_with_counts() -> None:
    board = pegs.Board("o/o./.oo/o.oo/ooooo")
    hint = board.hint(solutions=True)
    assert (hint.solutions, hint.winnable) == (1529, True)
    shares = hint.shares
    assert shares is not None
    assert abs(sum(shares.values()) - 1) < 1e-9
    assert board.hint(shortest=True).moves is not None
    lost = pegs.Board("o.oo/oo.o/..../....").hint()
    assert not lost.winnable
    assert lost.reason == "class"
    assert lost.proof is not None


def test_positions_outside_of_games() -> None:
    board = pegs.Board("english")
    board.hint()
    # A single peg that is a jump away from nothing: it cannot arise from the start in the class of the start.
    other = "__o..__/__...__/......./......./......./__...__/__...__"
    hint = board.hint(other)
    assert not hint.winnable
    with pytest.raises(everymove.InputError, match="expected a position of the english board"):
        board.hint(pegs.Board("triangle5").start)
    with pytest.raises(everymove.InputError):
        board.hint("ooo/ooo")


def test_no_solution_has_a_proof() -> None:
    with pytest.raises(everymove.NoSolution) as none:
        pegs.Board("european", start="d4").solve()
    assert none.value.reason == "class"
    assert pegs.Board("european", start="d4").is_solvable() is False
    with pytest.raises(everymove.NoSolution) as none:
        pegs.Board("ooo/o.o/ooo").solve()
    assert none.value.reason in ("class", "exhaustion")


def test_winning_sets_in_files(tmp_path: object) -> None:
    file = f"{tmp_path}/triangle.win"
    board = pegs.Board("triangle6", start="a1", finish="a1")
    assert board.save(file) > 0
    again = pegs.Board("triangle6", start="a1", finish="a1")
    assert again.load(file) == board.load() > 0
    assert again.hint().jumps == board.hint().jumps
    with pytest.raises(everymove.InputError):
        pegs.Board("triangle6", start="a2").load(file)


def test_named_boards() -> None:
    names = [board.name for board in pegs.boards()]
    assert {"english", "european", "wiegleb", "triangle5"} <= set(names)
    for board in pegs.boards():
        assert len(pegs.Board(board.name).holes) == board.holes


def test_depth_first_searches_agree_with_the_lab() -> None:
    board = pegs.Board("english")
    plain = board.solve(method="dfs", threads=1).work
    with_set = board.solve(method="dfs-set", threads=1).work
    assert plain["nodes"] == 7_667_770
    assert with_set["nodes"] == 10_845
