#!/usr/bin/env bash
# Prepares a machine: system packages (when root), a virtual environment, our package in it.
#
#   packaging/setup.sh demo [VENV]      what the window needs
#   packaging/setup.sh test [VENV]      what the tests need
#   packaging/setup.sh core [VENV]      the tests' environment without PySide6
#   packaging/setup.sh viewer [VENV]    the tests' environment without Haystack
#
# Does nothing when nothing changed since the last time.
set -euo pipefail
cd "$(dirname "$0")/.."

purpose=${1:?say demo, test, core or viewer}
venv=${2:-.venv}
python=${PYTHON:-python3}

say() { printf '%s\n' "$*" >&2; }
give_up() { say "setup: $1"; [ $# -gt 1 ] && say "  $2"; exit 2; }

command -v "$python" >/dev/null || give_up "There is no $python." "Install Python 3.11 or later."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    give_up "$("$python" --version) is too old." "Run Inspector needs Python 3.11 or later: make $purpose PYTHON=python3.12"

# Found with ldd on Qt's platform plugins: what PySide6 does not carry itself.
libraries="libEGL.so.1=libegl1 libGL.so.1=libgl1 libxkbcommon.so.0=libxkbcommon0 libdbus-1.so.3=libdbus-1-3
    libfontconfig.so.1=libfontconfig1 libglib-2.0.so.0=libglib2.0-0 libX11-xcb.so.1=libx11-xcb1
    libxkbcommon-x11.so.0=libxkbcommon-x11-0 libxcb-cursor.so.0=libxcb-cursor0 libxcb-icccm.so.4=libxcb-icccm4
    libxcb-image.so.0=libxcb-image0 libxcb-keysyms.so.1=libxcb-keysyms1 libxcb-randr.so.0=libxcb-randr0
    libxcb-render-util.so.0=libxcb-render-util0 libxcb-shape.so.0=libxcb-shape0 libxcb-shm.so.0=libxcb-shm0
    libxcb-sync.so.1=libxcb-sync1 libxcb-util.so.1=libxcb-util1 libxcb-xfixes.so.0=libxcb-xfixes0
    libxcb-xkb.so.1=libxcb-xkb1"
commands=""
case $purpose in
    test) commands="Xvfb=xvfb xauth=xauth xdotool=xdotool jq=jq redis-server=redis-server" ;;
    core) libraries="" commands="jq=jq" ;;
esac

# The outer-most directories of a C library search, asked of the linker itself.
has_library() { "$python" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2>/dev/null; }

missing=""
for pair in $libraries; do has_library "${pair%%=*}" || missing="$missing ${pair#*=}"; done
for pair in $commands; do command -v "${pair%%=*}" >/dev/null || missing="$missing ${pair#*=}"; done
if [ "$purpose" != core ] && ! { command -v fc-list >/dev/null && [ -n "$(fc-list 2>/dev/null | head -n 1)" ]; }; then
    missing="$missing fontconfig fonts-dejavu-core"
fi
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    missing="$missing python$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv"

if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "setup: installing system packages:$missing"
        apt-get update -qq >&2
        # shellcheck disable=SC2086 # a list of words
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
    else
        give_up "These system packages are missing:$missing" "On Debian or Ubuntu: sudo apt-get install$missing"
    fi
fi

stamp="$venv/.set-up-for-$purpose"
wanted=$(cat pyproject.toml packaging/setup.sh | cksum)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && [ -x "$venv/bin/python" ]; then
    exit 0
fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
say "setup: installing Python packages into $venv"
pip="$venv/bin/python -m pip --quiet --disable-pip-version-check"
$pip install --upgrade 'pip>=25.1' >&2
case $purpose in
    demo) $pip install --editable '.[gui]' >&2 ;;
    test) $pip install --editable '.[gui,haystack]' --group dev >&2 ;;
    core) $pip install --editable '.[haystack]' --group core-tests >&2 ;;
    viewer) $pip install --editable '.[gui]' --group viewer-tests >&2 ;;
esac
printf '%s\n' "$wanted" >"$stamp"
