#!/usr/bin/env bash
# One-command set-up: a virtual environment in .venv with the package, training and developer tools
# at the versions that CI tests. Needs Python 3.11 or newer; PYTHON=... chooses one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${PYTHON:-python3}
"$python" - <<'CHECK'
import sys
if sys.version_info < (3, 11):
    sys.exit(f"castle_envs needs Python 3.11 or newer, {sys.executable} is {sys.version.split()[0]}")
CHECK

[ -x .venv/bin/python ] || "$python" -m venv .venv
echo "installing into .venv (some minutes the first time: torch is large) ..."
.venv/bin/python -m pip install --quiet --disable-pip-version-check \
    -c constraints.txt -e ".[render,train,dev]"
.venv/bin/castle-envs version
