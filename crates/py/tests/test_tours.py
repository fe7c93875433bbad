"""Tours against brute force in Python, graphillion, and known numbers (OEIS A001230, A165134, and so on)."""

from __future__ import annotations

import itertools
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import everymove
import numpy as np
import pytest
from everymove import tours

LEAPS = [(a * x, b * y) for a, b in ((1, 2), (2, 1)) for x in (-1, 1) for y in (-1, 1)]

Square = tuple[int, int]


def neighbours(rows: int, cols: int, leaps: list[Square] = LEAPS) -> dict[Square, list[Square]]:
    squares = list(itertools.product(range(rows), range(cols)))
    inside = set(squares)
    return {(r, c): [(r + dr, c + dc) for dr, dc in leaps if (r + dr, c + dc) in inside] for r, c in squares}


def paths(graph: dict[Square, list[Square]]) -> Iterator[list[Square]]:
    """Every directed Hamiltonian path."""

    def extend(path: list[Square], seen: set[Square]) -> Iterator[list[Square]]:
        if len(path) == len(graph):
            yield path
            return
        for square in graph[path[-1]]:
            if square not in seen:
                yield from extend([*path, square], seen | {square})

    for start in graph:
        yield from extend([start], {start})


def name(square: Square) -> str:
    return "abcdefghijklmnop"[square[1]] + str(square[0] + 1)


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (3, 4), (4, 4), (4, 5), (3, 7), (5, 4)])
def test_counts_equal_brute_force(rows: int, cols: int) -> None:
    graph = neighbours(rows, cols)
    found = list(paths(graph))
    closed = sum(path[0] in graph[path[-1]] for path in found)
    assert tours.count((rows, cols), directed=True) == len(found)
    assert tours.count((rows, cols)) * 2 == len(found)
    # Every closed tour was met once from each square in each direction.
    assert tours.count((rows, cols), closed=True, directed=True) * rows * cols == closed
    by_start = tours.count_by_start((rows, cols))
    for square in graph:
        assert by_start[name(square)] == sum(path[0] == square for path in found)
    listed = {tour.squares for tour in tours.list((rows, cols), directed=True)}
    assert listed == {tuple(name(square) for square in path) for path in found}


@pytest.mark.parametrize(
    ("rows", "cols", "closed"), [(3, 10, True), (5, 5, False), (5, 6, True), (4, 6, False), (5, 6, False), (6, 6, True)]
)
def test_counts_equal_graphillion(rows: int, cols: int, closed: bool) -> None:
    graphillion = pytest.importorskip("graphillion")
    graph = neighbours(rows, cols)
    numbers = {square: number for number, square in enumerate(graph, 1)}
    edges = {tuple(sorted((numbers[a], numbers[b]))) for a, near in graph.items() for b in near}
    if not closed:
        # With one more vertex beside all others, an open tour is a Hamiltonian cycle.
        edges |= {(0, number) for number in numbers.values()}
    graphillion.GraphSet.set_universe(sorted(edges))
    number = len(graphillion.GraphSet.cycles(is_hamilton=True))
    assert tours.count((rows, cols), closed=closed) == number


@pytest.mark.parametrize(
    ("board", "closed", "number"),
    [
        ("6x6", True, 9862),
        ("6x6", False, 3318960),
        ("5x6", False, 18784),
        ("7x7", True, 0),
        ("6x7", True, 1067638),
        ("7x7", False, 82787609160),
        ("8x8", True, 13267364410532),
    ],
)
def test_known_counts(board: str, closed: bool, number: int) -> None:
    assert tours.count(board, closed) == number


def test_other_pieces_and_holes() -> None:
    # Hamiltonian cycles of the 6x6 grid graph: OEIS A003763.
    assert tours.count("6x6", closed=True, leaper=(0, 1)) == 1072
    assert tours.count("6x6", closed=True, piece="wazir") == 1072
    assert tours.count("5x5", closed=True, piece="K") == 2462064
    with pytest.raises(everymove.InputError, match="it rides"):
        tours.count("5x5", piece="rook")
    with pytest.raises(everymove.InputError, match="not both"):
        tours.count("5x5", leaper=(0, 1), piece="K")
    holes = ["a1", "c3"]
    graph = neighbours(4, 5)
    for hole in ((0, 0), (2, 2)):
        for near in graph.pop(hole):
            graph[near].remove(hole)
    assert tours.count("4x5", holes=holes, directed=True) == sum(1 for _ in paths(graph))
    tour = tours.find("8x8", closed=True, holes=["d4", "e4"])
    assert tour.holes == ("d4", "e4")
    assert (tour.steps == -1).sum() == 2
    assert pickle.loads(pickle.dumps(tour)) == tour


def test_a_tour_is_an_object() -> None:
    tour = tours.find("6x5", seed=3)
    steps = tour.steps
    assert steps.shape == (6, 5)
    assert steps.dtype == np.int32
    assert sorted(steps.ravel()) == list(range(30))
    for step, square in enumerate(tour.squares):
        assert steps[int(square[1:]) - 1, ord(square[0]) - ord("a")] == step
    assert (tour.start, tour.end) == (tour.squares[0], tour.squares[-1])
    assert (tour.rows, tour.cols, len(tour), tour.closed, tour.leaper) == (6, 5, 30, False, (1, 2))
    copy = pickle.loads(pickle.dumps(tour))
    assert copy == tour
    assert hash(copy) == hash(tour)
    assert len({copy, tour}) == 1
    again = tours.Tour("6x5", tour.squares)
    assert again == tour == tours.Tour("6x5", str(tour))
    assert tour != tours.find("6x5", closed=True)
    assert tour != "a tour"
    svg = tour._repr_svg_()
    assert svg is not None
    assert svg.startswith("<svg")
    assert "<animate" in tour.svg(animated=True) or "animation" in tour.svg(animated=True)
    assert tour.svg(numbers=True) != svg
    assert "open tour of the 6x5 board" in repr(tour)


def test_a_tour_is_saved(tmp_path: Path) -> None:
    tour = tours.find("5x6", seed=2)

    def saved(name: str, **options: bool) -> bytes:
        tour.save(tmp_path / name, **options)
        return (tmp_path / name).read_bytes()

    assert saved("t.svg").decode() == tour.svg()
    assert saved("t.SVG", numbers=True, dark=True).decode() == tour.svg(numbers=True, dark=True)
    assert saved("t.png", numbers=True).startswith(b"\x89PNG")
    with pytest.raises(everymove.InputError, match="options of a picture"):
        tour.save(tmp_path / "t.png", animated=True)
    assert b"\\begin{tikzpicture}" in saved("t.tex", numbers=True)
    for name, separator in [("t.txt", None), ("t.csv", ",")]:
        rows = [[int(cell) for cell in line.split(separator)] for line in saved(name).decode().splitlines()]
        assert (np.array(rows)[::-1] - 1 == tour.steps).all()
    assert json.loads(saved("t.json"))["start"] == tour.start
    assert len(saved("t.bin")) > 4 * len(tour)
    with pytest.raises(everymove.InputError, match="expected a name that ends in"):
        tour.save(str(tmp_path / "t.gif"))
    assert not (tmp_path / "t.gif").exists()
    with pytest.raises(everymove.InputError, match="options of a picture"):
        tour.save(tmp_path / "t.csv", numbers=True)
    with pytest.raises(everymove.EverymoveError, match="none"):
        tour.save(tmp_path / "none" / "t.svg")


def test_verification() -> None:
    tour = tours.find("8x8", closed=True)
    assert tours.verify(tour)
    assert tours.verify(tour.steps, closed=True)
    assert tours.verify(tour.steps + 1, closed=True)
    assert tours.verify(list(tour.squares), "8x8").closed
    wrong = tour.steps.copy()
    wrong[0, 0], wrong[0, 1] = wrong[0, 1], wrong[0, 0]
    verdict = tours.verify(wrong)
    assert not verdict
    assert verdict.fault is not None
    assert "is not a move of the knight" in verdict.fault
    assert not tours.verify(["a1", "b3"], "8x8")
    assert not tours.verify(tours.find("5x5"), closed=True)
    with pytest.raises(everymove.InputError, match="visited twice"):
        tours.Tour("3x4", "a1-b3-a1")
    with pytest.raises(TypeError, match="need a board"):
        tours.verify("a1-b3")
    with pytest.raises(ValueError, match="2 dimensions"):
        tours.verify(np.zeros(3))


def test_none_has_a_reason() -> None:
    with pytest.raises(everymove.NoSolution, match="Schwenk") as none:
        tours.find("4x10", closed=True)
    assert "Schwenk" in none.value.reason
    assert tours.exists("4x10", closed=True) is False
    assert tours.exists("8x8") is True
    with pytest.raises(everymove.NoSolution):
        tours.sample("3x3")
    assert list(tours.list("4x10", closed=True)) == []


def test_large_boards() -> None:
    tour = tours.find((300, 400), closed=True)
    assert tours.verify(tour, closed=True)
    assert tour.steps.shape == (300, 400)
    assert tour._repr_svg_() is None


def test_numbers_of_tours() -> None:
    total = tours.count("6x6", closed=True)
    ranks = [0, 1, 4711, total - 1]
    for rank in ranks:
        tour = tours.unrank("6x6", rank, closed=True)
        assert tour.closed
        assert tours.rank(tour) == rank
    with pytest.raises(everymove.InputError, match="numbered from 0"):
        tours.unrank("6x6", total, closed=True)
    assert len({tours.unrank("5x5", rank) for rank in range(864)}) == 864


def test_samples_are_uniform() -> None:
    # 48 * 5x5's 864 tours: chi squared has 863 degrees of freedom, mean 863 and standard deviation 41.5.
    drawn = tours.sample("5x5", number=48 * 864, seed=1)
    counts = np.bincount([tours.rank(tour) for tour in drawn], minlength=864)
    chi2 = ((counts - 48) ** 2 / 48).sum()
    assert 863 - 5 * 41.5 < chi2 < 863 + 5 * 41.5
    assert tours.sample("5x5", number=0) == []
    assert isinstance(tours.sample("5x5"), tours.Tour)


def test_symmetric_tours() -> None:
    assert tours.symmetric("6x6", "half").diagrams == 78
    assert tours.symmetric("6x6", "quarter").diagrams == 10
    found = tours.symmetric("7x7", "quarter")
    assert (found.quarter_paths, found.type_a, found.type_b) == (10304, 512, 272)
    listed = list(tours.list_symmetric("6x6", "quarter"))
    assert len(listed) == 10
    for tour in listed:
        step = tour.steps
        # A quarter turn adds the same number, a quarter of the tour, to every step, in one direction or the other.
        shifts = set(((np.rot90(step) - step) % 36).ravel())
        assert shifts in ({9}, {27})
    assert len(list(tours.list_symmetric("7x7", "quarter", type="b"))) == 272
    impossible = tours.symmetric("8x8", "quarter")
    assert impossible.diagrams == 0
    assert impossible.reason is not None


def test_classes() -> None:
    found = tours.classes("6x6", closed=True)
    assert (found.tours, found.classes) == (9862, 1245)
    assert found.asymmetric is not None
    assert found.asymmetric + (found.binary or 0) + (found.quaternary or 0) == 1245


def test_listing_is_lazy() -> None:
    # 8x8 has 9.8 * 10^15 open tours: the first thousand take no memory for the rest.
    iterator = tours.list("8x8")
    first = list(itertools.islice(iterator, 1000))
    assert len(set(first)) == 1000
    assert iter(iterator) is iterator
    iterator.close()
    assert list(iterator) == []
    assert [tour.start for tour in tours.list("5x6", number=3)] == ["a1"] * 3


def test_paths_that_can_be_completed() -> None:
    assert tours.complete("5x5", ["a1", "b3"])["possible"] == "yes"
    assert tours.complete("5x5", "a2")["possible"] == "no"
