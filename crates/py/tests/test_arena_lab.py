"""Matches and experiments."""

from __future__ import annotations

import io
import pathlib

import chess.pgn
import everymove
import pytest
from everymove import arena, lab


def test_a_match(tmp_path: pathlib.Path) -> None:
    pgn = tmp_path / "games.pgn"
    strong = arena.Program("self", name="many", nodes=2000, options={"Threads": 1})
    weak = arena.Program("self", name="few", nodes=20)
    match = arena.play([strong, weak], number=4, seed=3, pgn=pgn)
    assert match.complete
    assert match.games == 4
    rows = {row["name"]: row for row in match.rows}
    assert rows["many"]["wins"] + rows["many"]["draws"] + rows["many"]["losses"] == 4
    assert rows["many"]["points"] + rows["few"]["points"] == 4
    assert rows["many"]["points"] > rows["few"]["points"]
    assert sum(match.endings.values()) == 4
    assert pgn.read_text() == match.pgn
    stream = io.StringIO(match.pgn)
    for row in match.game_rows:
        game = chess.pgn.read_game(stream)
        assert game is not None
        assert not game.errors
        assert game.headers["Result"] == row["result"]
        assert game.headers["White"] == row["white"]
    assert match.pairings[0]["games"] == 4


def test_an_engine_thinks_on_the_time_of_the_other() -> None:
    engine = arena.Program("self", name="a", nodes=20, ponder=True)
    assert engine.text().endswith(",nodes=20,ponder=true")
    assert arena.play([engine, "self"], number=2, nodes=20, max_moves=4).games == 2


def test_wrong_matches() -> None:
    with pytest.raises(everymove.InputError, match="even number"):
        arena.play(["self", "self"], number=3, nodes=10)
    with pytest.raises(everymove.InputError, match="limits"):
        arena.play(["self", "self"], number=2)
    with pytest.raises(everymove.EverymoveError, match="no-such-program"):
        arena.play(["no-such-program", "self"], number=2, nodes=10)


def test_an_experiment() -> None:
    found = lab.run("tours-symmetric", quick=True, threads=[1, 2])
    assert found.disagreements == 0
    (report,) = found.reports
    assert report.name == "tours-symmetric"
    assert report.checks
    assert all(check.agrees for check in report.checks)
    table = report.tables[0]
    assert table.rows
    assert all(set(row) == set(table.columns) for row in table.rows)
    assert report.table(table.name) is table
    assert all(chart.svg.startswith("<svg") for chart in report.charts)
    assert "everymove" not in table.name


def test_experiments_have_names() -> None:
    names = [entry["name"] for entry in lab.experiments()]
    assert {"tours-speedup", "leapfrog", "chess-strategies", "pegs-search"} <= set(names)
    with pytest.raises(everymove.InputError, match="did you mean pegs-search"):
        lab.run("pegs-serch")
