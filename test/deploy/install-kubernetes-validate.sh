#!/usr/bin/env bash
# Installs kubernetes-validate, a linter of manifests with the schemas of Kubernetes, into a Python
# environment of its own below node_modules. Does nothing if that is there as it should be.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly environment=node_modules/.cache/kubernetes-validate
readonly requirements=test/deploy/requirements.txt
readonly installed=$environment/installed.txt

if cmp -s "$requirements" "$installed" && [ -x "$environment/bin/kubernetes-validate" ]; then
  exit 0
fi
python3 -m venv --clear "$environment" || {
  printf 'cannot install kubernetes-validate: on Debian: apt-get install python3-venv\n' >&2
  exit 1
}
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
  --only-binary :all: --requirement "$requirements"
cp "$requirements" "$installed"
