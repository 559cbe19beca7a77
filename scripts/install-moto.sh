#!/usr/bin/env bash
# Installs moto, a Route 53 server of other makers, into a Python environment of its own below
# node_modules, where `npm run test:interop` finds it. Does nothing if that is there as it should be.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly environment=node_modules/.cache/moto
readonly requirements=test/interop/requirements.txt
readonly installed=$environment/installed.txt

# fail PROBLEM: says so and ends.
fail() {
  printf 'cannot install moto: %s\n' "$1" >&2
  exit 1
}

readonly remedy='on Debian: apt-get install python3-venv'
command -v python3 >/dev/null || fail "there is no python3; $remedy"
version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  fail "python3 must be 3.10 or later, got $version"
# Debian has ensurepip, which brings pip into an environment, in a package apart from python3.
for module in venv ensurepip; do
  python3 -c "import $module" 2>/dev/null || fail "python3 $version has no module $module; $remedy"
done

if cmp -s "$requirements" "$installed" && "$environment/bin/python" -c 'import moto' 2>/dev/null; then
  exit 0
fi
python3 -m venv --clear "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
  --only-binary :all: --requirement "$requirements" ||
  fail "pip could not get all of $requirements, see above"
cp "$requirements" "$installed"
