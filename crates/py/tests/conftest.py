from __future__ import annotations

import pathlib

import pytest
from everymove import tables


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Small endings: plies to mate, plies to a zeroing move, Syzygy files."""
    folder = tmp_path_factory.mktemp("tables")
    for material in ("KQvK", "KPvK", "KBNvK", "KRvKP"):
        tables.build(material, folder, metric="dtm")
        tables.build(material, folder, syzygy=True)
    return folder
