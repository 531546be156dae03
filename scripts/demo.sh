#!/bin/sh
# A first session with heddle: each command line, then what it prints.
# `show EXIT ARGUMENTS…` also checks the exit code, so that the demo cannot go stale.
set -eu
cd "$(dirname "$0")/.."
heddle="${CARGO_TARGET_DIR:-target}/release/heddle"

show() {
    expected=$1
    shift
    printf '\n$ heddle'
    for argument in "$@"; do
        case $argument in
            *[!A-Za-z0-9_./=-]*) printf " '%s'" "$argument" ;;
            *) printf ' %s' "$argument" ;;
        esac
    done
    printf '\n'
    status=0
    "$heddle" "$@" || status=$?
    if [ "$status" -ne "$expected" ]; then
        echo "demo: exit code $status where $expected was expected" >&2
        exit 1
    fi
}

show 0 --help
