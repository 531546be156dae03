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


show 0 rules reasons rules/sc.dl --facts facts/running-example
show 0 rules explain rules/sc.dl --facts facts/running-example 'lt(x5, x2)'
show 0 rules test rules/sc.dl --cases 2000
show 1 rules test rules/examples/wrong.dl --out target/unsound
show 0 rules run rules/examples/ancestor.dl --facts facts/ancestor --updates facts/ancestor/updates.txt
show 2 rules check rules/examples/mistakes.dl
show 10 explore docs/examples/classics/peterson-broken.hd --shortest
show 10 verify docs/examples/scheduling-constraint/running-example-broken.c
show 0 verify docs/examples/scheduling-constraint/running-example.c --engine schedule --stats
show 0 verify docs/examples/abstract-matching/ticket2.hd --engine match
show 0 verify docs/examples/lecture-loops/four-counters.hd --engine predicate
