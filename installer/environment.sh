#!/usr/bin/env bash
# Makes .venv in the checkout: `environment.sh base` with what the program needs, `environment.sh tests` with all that tests and benchmarks need.
# Does nothing when that was done before and neither pyproject.toml nor the pins changed since.
#
# Every package of requirements/ is compared with its hashes before it is installed, and so is what builds those that come as source: Galley itself,
# openai-whisper and meeteval are built by the tools beside them, never by some that pip downloads for itself.
# torch and what only torch needs are compared with no hash, because its file differs with the index that pip asks (the CPU build is another file
# than the one with CUDA); constraints.txt pins them.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=${1:?base or tests}
if [ "${OS:-}" = Windows_NT ]; then bin=.venv/Scripts; else bin=.venv/bin; fi
stamp() { printf '%s %s' "$1" "$(cat pyproject.toml constraints.txt requirements/*.txt | cksum)"; }
made=$(cat .venv/made 2>/dev/null || true)

if [ "$made" = "$(stamp tests)" ]; then exit 0; fi
if [ "$wanted" = base ] && [ "$made" = "$(stamp base)" ]; then exit 0; fi

# Prints the first Python that is new enough and for which `$1` (a Python statement) works.
find_python() {
    local name
    for name in python3.11 python3.12 python3.13 python3.14 python3 python; do
        if command -v "$name" >/dev/null && "$name" -c "import sys; assert sys.version_info >= (3, 11); $1" 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
}

debian_install() {
    local root=""
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || return 1
        root="sudo -n"
    fi
    command -v apt-get >/dev/null || return 1
    echo "Installing $* ..." >&2
    $root apt-get update -qq >/dev/null && $root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

if [ ! -x "$bin/python" ] || ! "$bin/python" -m pip --version >/dev/null 2>&1; then
    python=$(find_python "import ensurepip, venv")
    if [ -z "$python" ] && debian_install python3 python3-venv; then
        python=$(find_python "import ensurepip, venv")
    fi
    if [ -z "$python" ]; then
        if [ -n "$(find_python pass)" ]; then
            echo "Python is here, but not its venv module. On Debian and Ubuntu type: sudo apt install python3-venv" >&2
        elif command -v apt-get >/dev/null; then
            echo "Galley needs Python 3.11 or newer. Type: sudo apt install python3 python3-venv" >&2
        elif command -v dnf >/dev/null; then
            echo "Galley needs Python 3.11 or newer. Type: sudo dnf install python3" >&2
        elif command -v pacman >/dev/null; then
            echo "Galley needs Python 3.11 or newer. Type: sudo pacman -S python" >&2
        elif command -v brew >/dev/null; then
            echo "Galley needs Python 3.11 or newer. Type: brew install python@3.11" >&2
        else
            echo "Galley needs Python 3.11 or newer. Install it from python.org, then type the command again." >&2
        fi
        exit 1
    fi
    echo "Making .venv with $python ..."
    "$python" -m venv --clear .venv
fi

install() {
    "$bin/python" -m pip --disable-pip-version-check install --quiet "$@" && return
    echo "The packages could not be installed; pip says above why. Type the command again to try once more." >&2
    exit 1
}

# The packages of a file in requirements/, and Galley itself, built by the hatchling that is among them.
install_hashed() {
    install --require-hashes --only-binary :all: --requirement "requirements/$1.txt"
    install --no-deps --no-build-isolation --editable .
}

# Packages that are built here, by what is installed already.
from_source=(--no-deps --no-build-isolation --require-hashes --requirement)

rm -f .venv/made
if [ "$wanted" = base ]; then
    echo "Installing what Galley needs, once (about 200 MB to fetch) ..."
    install_hashed base
else
    echo "Installing what Galley and its tests need, once ..."
    install_hashed tests
    # By its exact release: a range would let the newest one in. Nothing in requirements/tests.txt needs it, so nothing chooses another one.
    install --constraint constraints.txt torch==2.13.0
    # Alone: on Linux it asks for triton, hundreds of megabytes for graphics cards. What else it needs is in requirements/tests.txt.
    install "${from_source[@]}" requirements/openai-whisper.txt
    # Only where a C++ compiler can build it: `galley bench speakers` does without.
    "$bin/python" -m pip --disable-pip-version-check install --quiet "${from_source[@]}" requirements/meeteval.txt >/dev/null 2>&1 ||
        echo "Without a C++ compiler the word error rate with speakers (meeteval) is not measured."
fi
stamp "$wanted" > .venv/made
