#!/usr/bin/env bash
# Installs moto, a Route 53 server of other makers, into a Python environment of its own below
# node_modules, where `npm run test:interop` finds it. Does nothing if that is there as it should be.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly environment=node_modules/.cache/moto
readonly requirements=test/interop/requirements.txt
readonly installed=$environment/installed.txt

# fail PROBLEM: says so, with what to do about it.
fail() {
  printf 'cannot install moto: %s; on Debian: apt-get install python3-venv\n' "$1" >&2
  exit 1
}

command -v python3 >/dev/null || fail "there is no python3"
version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  fail "python3 must be 3.10 or later, got $version"
python3 -c 'import venv' 2>/dev/null || fail "python3 $version has no module venv"
# Debian's python3 has venv without what brings pip into it.
python3 -c 'import ensurepip' 2>/dev/null || fail "python3 $version has no module ensurepip (pip)"

if cmp -s "$requirements" "$installed" && "$environment/bin/python" -c 'import moto' 2>/dev/null; then
  exit 0
fi
python3 -m venv --clear "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
  --only-binary :all: --requirement "$requirements"
cp "$requirements" "$installed"
