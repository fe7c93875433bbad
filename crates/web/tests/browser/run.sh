#!/bin/bash
# Checks the types of the pages and runs their stories in a browser:
#   crates/web/tests/browser/run.sh --install          (installs what is missing, and no more)
#   crates/web/tests/browser/run.sh [--binary FILE] [--only NAME] [--screenshots DIR] ...   (see run.mjs)
# Installs Node and chromium by apt where they are missing, and three packages by npm into a folder outside the project
# (BROWSER_TOOLS=DIR keeps it for the next run). Nothing is skipped: what cannot be installed is an error.
set -euo pipefail
cd "$(dirname "$0")"
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
missing=()
command -v node >/dev/null && command -v npm >/dev/null || missing+=(nodejs npm)
command -v chromium >/dev/null || missing+=(chromium)
if [ "${#missing[@]}" -gt 0 ]; then
    as_root apt-get update -qq
    as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" fonts-dejavu-core
fi
tools=${BROWSER_TOOLS:-}
if [ -z "$tools" ]; then
    tools=$(mktemp -d)
    trap 'rm -rf "$tools"' EXIT
fi
mkdir -p "$tools"
if ! [ -d "$tools/node_modules/axe-core" ]; then
    (cd "$tools" && npm install --no-save --no-audit --no-fund --silent playwright-core axe-core typescript)
fi
[ "${1:-}" != --install ] || exit 0
echo "types of the pages"
"$tools/node_modules/.bin/tsc" --project tsconfig.json
node run.mjs --modules "$tools/node_modules" "$@"
