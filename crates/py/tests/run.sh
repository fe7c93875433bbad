#!/bin/bash
# Builds the wheel, installs it into a fresh virtual environment and checks it: pytest with doctests and notebooks, mypy,
# pyright, ruff. Needs Python 3.10 or newer with its module venv, and the network for pip.
# Usage: run.sh [FOLDER [environment]]; the wheel and the environment are made in FOLDER, by default a temporary one. With the word
# `environment` nothing else is made.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
step() { printf '\n-- python: %s (%s s)\n' "$*" "$SECONDS"; }

step environment
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
python3 -m venv "$folder/venv" || { as_root apt-get install -y -qq python3-venv && python3 -m venv "$folder/venv"; }
export PATH="$folder/venv/bin:$PATH"
pip install --quiet "maturin>=1.9.4,<2" pytest mypy pyright ruff chess graphillion pandas pandas-stubs types-tqdm \
    matplotlib nbclient nbformat ipykernel "dask[distributed]"
[ "${2:-}" != environment ] || exit 0

step wheel
rm -rf "$folder/wheels"
maturin build --release --locked --quiet --out "$folder/wheels"
pip install --quiet "$folder"/wheels/everymove-*.whl

step formatting and lints
ruff format --check . ../../notebooks
ruff check . ../../notebooks

step types
mypy python/everymove tests
pyright --pythonpath "$(command -v python)"

# From another folder, so that the installed package is tested and not the source.
step tests
here=$PWD
mkdir -p "$folder/work"
cd "$folder/work"
pytest -q -p no:cacheprovider --rootdir "$here" -c "$here/pyproject.toml" --durations=5 "$here/tests"
step examples in the documentation
installed=$(python -c 'import everymove, os; print(os.path.dirname(everymove.__file__))')
pytest -q -p no:cacheprovider --rootdir "$installed" --doctest-modules "$installed"
python -m doctest "$here/../../docs/python.md"
step done
