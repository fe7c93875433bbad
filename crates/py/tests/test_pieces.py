"""Pieces by their moves, against the tables of chess and plain geometry."""

from __future__ import annotations

import pathlib

import everymove
import pytest
from everymove import pieces, tables


def test_moves_of_a_piece() -> None:
    camel = pieces.show("C")
    assert camel.names == ("camel",)
    assert {(atom.dx, atom.dy) for atom in camel.atoms} == {
        (x, y) for x in range(-3, 4) for y in range(-3, 4) if {abs(x), abs(y)} == {1, 3}
    }
    assert all(atom.range == 1 and atom.moves and atom.captures and atom.kind == "slide" for atom in camel.atoms)
    assert str(camel).count("*") == 9
    assert pieces.show("NN").atoms[0].range is None


@pytest.mark.parametrize(("names", "material"), [(("R",), "KRvK"), (("N", "B"), "KBNvK")])
def test_potential_on_the_chess_board_is_that_of_its_tables(
    tmp_path: pathlib.Path, names: tuple[str, ...], material: str
) -> None:
    expected = tables.build(material, tmp_path).white_to_move
    rows = pieces.potential(*names, boards=8, pairs=len(names) > 1)
    (row,) = (row for row in rows if row.pieces == names)
    assert (row.board, row.legal, row.wins) == ("8x8", expected.legal, expected.wins)
    assert row.longest_mate == (expected.max_win_plies + 1) // 2
    assert row.share == row.wins / row.legal


def test_wrong_pieces_and_boards_are_refused() -> None:
    with pytest.raises(everymove.InputError, match="column 3"):
        pieces.show("BNx")
    with pytest.raises(everymove.InputError, match="from 2 to 16"):
        pieces.potential("R", boards="6..17")
    with pytest.raises(everymove.BudgetError):
        pieces.potential("R", boards=16, ram="64K")
