#!/bin/sh
# The door to everything. A fresh machine has a shell but not always make, so this is POSIX sh and needs nothing
# else than Python 3.11 or newer; what else a job needs it installs, or says in one line what is to be installed.
set -eu

called_in=$(pwd)
cd -P "$(dirname "$0")"

LOG=build/setup.log
MAX_LINES=400

usage() {
    cat <<'END'
./do run [--stay]       play a simulated table, on the screen or without one
./do test [ARGS]        check, then all tests; with ARGS only pytest with these
./do setup              make .venv, and install what is missing
./do check              style, types, layers and module lengths
./do bench WHAT         measure: vision, rules, table or hub
./do machine [ARGS]     play in a whole emulated machine and pull its plug (root, Debian 12; half an hour)
./do companion ARGS     any command of the companion
./do test-opencv4       the reader's tests on OpenCV 4, in .venv-cv4
./do lock               pin all packages again (needs uv)
END
}

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "problem: $*"
    exit 2
}

# --- one step of work with its time --------------------------------------------------------------------------

# step TEXT COMMAND...: run the command with its noise in the log; show the seconds; on failure show why.
step() {
    text=$1
    shift
    begun=$(date +%s)
    ticker=
    if [ -t 2 ]; then
        tick "$text" "$begun" $$ &
        ticker=$!
    else
        say "  $text ..."
    fi
    status=0
    "$@" >>"$LOG" 2>&1 </dev/null || status=$?
    if [ -n "$ticker" ]; then
        kill "$ticker" 2>/dev/null || :
        wait "$ticker" 2>/dev/null || :
        printf '\r\033[K' >&2
    fi
    if [ "$status" -ne 0 ]; then
        say "  $text: failed after $(($(date +%s) - begun)) s"
        tail -n 15 "$LOG" | sed 's/^/    /' >&2
        fail "$text did not work (status $status); the whole log is $PWD/$LOG"
    fi
    say "  $text: $(($(date +%s) - begun)) s"
}

# The seconds so far, once a second, for as long as the script lives.
tick() {
    while kill -0 "$3" 2>/dev/null; do
        printf '\r  %s ... %s s' "$1" "$(($(date +%s) - $2))" >&2
        sleep 1
    done
}

# --- what the machine must have ------------------------------------------------------------------------------

find_python() {
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer is needed and was not found; install it (Debian 12 and later: apt-get install" \
        "python3), or name it: PYTHON=/path/to/python3 ./do setup"
}

is_pi() { [ -n "${COMPANION_PI:-}" ] || grep -q 'Raspberry Pi' /proc/device-tree/model 2>/dev/null; }

has_module() { "$python" -c "import $1" 2>/dev/null; }

has_library() { "$python" -c "import ctypes; ctypes.CDLL('$1')" 2>/dev/null; }

in_archive() { apt-cache show "$1" >/dev/null 2>&1; }

# Debian packages that are missing here. Kivy's wheel brings SDL but opens its window through GL and EGL.
missing_packages() {
    has_module ensurepip || echo python3-venv
    has_library libGL.so.1 || echo libgl1
    has_library libEGL.so.1 || echo libegl1
    if is_pi; then
        # On a Pi these come with the system, so that one numpy serves camera, reader and screen.
        has_module numpy || echo python3-numpy
        has_module cv2 || echo python3-opencv
        has_module kivy || echo python3-kivy
        # Only Raspberry Pi OS has these two; elsewhere the drivers that need them say that they are missing.
        for module in picamera2 lgpio; do
            has_module "$module" || ! in_archive "python3-$module" || echo "python3-$module"
        done
    fi
}

install_packages() {
    missing=$(missing_packages | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -eq 0 ]; then
        root=
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        root="sudo -n"
    else
        fail "system packages are missing; run this once, then try again: sudo apt-get install -y $missing"
    fi
    command -v apt-get >/dev/null ||
        fail "system packages are missing and there is no apt-get here; install what Debian calls: $missing"
    # A new machine has no package lists yet, and an old one has stale ones: both show in the first try.
    # shellcheck disable=SC2086 # the list and the prefix are words
    step "system packages ($missing)" sh -c '
        prefix=$1; shift
        get() { $prefix env DEBIAN_FRONTEND=noninteractive apt-get "$@"; }
        get install -y --no-install-recommends "$@" ||
            { get update && get install -y --no-install-recommends "$@"; }
    ' sh "$root" $missing
}

# --- the virtual environment ---------------------------------------------------------------------------------

# make_venv DIR REQUIREMENTS: the environment in DIR, brought up to date when what it is made from has changed. It is
# emptied only when its Python is another one or it was made for another folder: somebody may be working in it.
make_venv() {
    venv=$1
    requirements=$2
    kind="$("$python" -VV) ${pi_option:-}"
    key=$({
        cat "$requirements"
        # What the package is made from; the settings of ruff, mypy and pytest in the same file change nothing in it.
        awk '/^\[/ { on = /^\[(build-system|project|tool\.setuptools)/ } on' pyproject.toml
        printf '%s\n' "$PWD" "$kind"
    } | sha256sum)
    if [ -f "$venv/made-from" ] && [ "$(cat "$venv/made-from")" = "$key" ]; then
        return 0
    fi
    if ! usable "$venv"; then
        step "virtual environment" "$python" -m venv --clear ${pi_option:+"$pi_option"} "$venv"
    fi
    step "packages ($(grep -c '==' "$requirements"), with their hashes)" \
        pip install --require-hashes -r "$requirements"
    step "the companion itself" pip install --no-deps --no-build-isolation --editable .
    printf '%s\n' "$key" >"$venv/made-from"
}

# An environment of the same Python, whose programs were made for this very folder.
usable() {
    [ "$("$1/bin/python" -VV 2>/dev/null) ${pi_option:-}" = "$kind" ] &&
        grep -qF "$PWD/$1/bin/python" "$1/bin/pip" 2>/dev/null
}

pip() { PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 "$venv/bin/python" -m pip --quiet "$@"; }

setup() {
    python=$(find_python)
    mkdir -p build
    # Two terminals may start at once: the second waits for the first and then finds everything made.
    exec 9>build/setup.lock
    if command -v flock >/dev/null; then flock 9; fi
    : >"$LOG"
    pi_option=
    lock=requirements/lock.txt
    if is_pi; then
        pi_option=--system-site-packages
        lock=requirements/pi.txt
    fi
    install_packages
    make_venv "${1:-.venv}" "${2:-$lock}"
    exec 9>&-
}

# --- checks and tests ----------------------------------------------------------------------------------------

# A tool's output is shown only when it has something to say.
verdict() {
    text=$1
    shift
    begun=$(date +%s)
    if output=$("$@" 2>&1); then
        say "  $text: ok, $(($(date +%s) - begun)) s"
    else
        say "  $text: FAILED"
        printf '%s\n' "$output" | sed 's/^/    /' >&2
        failed=1
    fi
}

short_modules() {
    find companion tests -name '*.py' -exec awk -v max="$MAX_LINES" '
        FNR == max + 1 { print FILENAME ": more than " max " lines, split it by meaning"; long = 1 }
        END { exit long }
    ' {} +
}

check() {
    failed=0
    verdict "style" .venv/bin/ruff check .
    verdict "format" .venv/bin/ruff format --check --quiet .
    verdict "types" .venv/bin/mypy
    verdict "layers" .venv/bin/lint-imports
    verdict "module lengths" short_modules
    [ "$failed" -eq 0 ] || fail "the checks above failed; many are mended by: .venv/bin/ruff check --fix . && .venv/bin/ruff format ."
}

test_all() {
    check
    SDL_VIDEODRIVER=offscreen .venv/bin/pytest --cov --cov-report=
    for layer in rules session; do
        verdict "coverage of $layer, 100 % of lines and branches" \
            .venv/bin/coverage report --include="companion/$layer/*" --fail-under=100
    done
    [ "$failed" -eq 0 ] || fail "rules and session must be covered whole: see the lines above"
}

run() {
    if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
        export SDL_VIDEODRIVER=offscreen
        set -- --headless "$@"
    fi
    exec .venv/bin/companion demo "$@"
}

lock() {
    command -v uv >/dev/null || fail "locking needs uv; install it: python3 -m pip install uv"
    pin() {
        uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
            --constraints requirements/constraints.in pyproject.toml "$@"
    }
    everywhere="--extra hub --extra postgres --extra nats --extra dev --extra pi"
    # shellcheck disable=SC2086 # the extras are words
    pin $everywhere --extra desktop -o requirements/lock.txt
    # shellcheck disable=SC2086
    pin $everywhere --no-emit-package numpy -o requirements/pi.txt
    pin requirements/opencv4.in --extra dev -o requirements/opencv4.txt
}

# --- the door ------------------------------------------------------------------------------------------------

job=${1:-}
[ $# -eq 0 ] || shift
case $job in
    "") usage ;;
    setup)
        setup
        say "ready: .venv/bin/companion"
        ;;
    run)
        setup
        run "$@"
        ;;
    check)
        setup
        check
        ;;
    test)
        setup
        if [ $# -eq 0 ]; then
            test_all
        else
            export SDL_VIDEODRIVER=offscreen
            exec .venv/bin/pytest "$@"
        fi
        ;;
    bench)
        setup
        exec .venv/bin/companion bench "$@"
        ;;
    companion)
        setup
        checkout=$(pwd)
        cd "$called_in" # names of files are the caller's
        exec "$checkout/.venv/bin/companion" "$@"
        ;;
    machine)
        setup
        cache=${COMPANION_MACHINE:-${XDG_CACHE_HOME:-$HOME/.cache}/companion-machine}
        image=$(tests/machine/build.sh "$cache")
        exec .venv/bin/python tests/machine/run.py "$image" "$@"
        ;;
    test-opencv4)
        setup .venv-cv4 requirements/opencv4.txt
        exec .venv-cv4/bin/pytest tests/vision "$@"
        ;;
    lock) lock ;;
    *)
        usage >&2
        fail "there is no job '$job'; the list above has all of them"
        ;;
esac
