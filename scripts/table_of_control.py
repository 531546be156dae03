#!/usr/bin/env python3
"""Prints Table 1 of "Non-Monotonic Refinement of Control Abstraction for Concurrent
Programs" as measured here, beside the paper's classes.

    scripts/table_of_control.py target/release/heddle [SECONDS]

SECONDS is how long each program may take by both schemes together (120).
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

# Classes by the monotonic and the non-monotonic scheme, and the time saved in percent.
PAPER = {
    "bakery-atomic": (8, 7, 27),
    "bakery": (14, 10, 52),
    "bluetooth": (7, 5, 16),
    "mozilla-order-fixed": (5, 3, 41),
    "time-varying-mutex": (10, 7, 26),
}


def measured(heddle, program, seconds):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [heddle, "verify", program, "--engine", "control", "--compare-refinements"]
        command += ["--timeout", seconds, "--json", file.name]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        rows = json.load(open(file.name))["statistics"]["comparison"]
    return {row["refinement"]: row for row in rows}


def cell(row):
    statistics = row["statistics"]
    times = statistics["seconds"]
    reachability, refinement = times["reachability"], times["refinement"]
    total = reachability + refinement
    text = f"{total:.2f} s = {reachability:.2f} + {refinement:.2f}"
    return total, text, statistics["classes"], row["verdict"]["kind"]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    heddle = sys.argv[1]
    seconds = sys.argv[2] if len(sys.argv) == 3 else "120"
    examples = Path(__file__).resolve().parent.parent / "docs/examples/control-abstraction"
    print("| program | monotonic | classes | non-monotonic | classes | time saved | verdicts |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, (many, few, saved) in PAPER.items():
        for form in ("hd", "c"):
            rows = measured(heddle, str(examples / f"{name}.{form}"), seconds)
            slow, slow_text, slow_classes, one = cell(rows["monotonic"])
            fast, fast_text, fast_classes, other = cell(rows["non-monotonic"])
            here = 100 * (slow - fast) / slow
            print(
                f"| {name}.{form} | {slow_text} | {many} / {slow_classes} | {fast_text} "
                f"| {few} / {fast_classes} | {saved} % / {here:.0f} % | {one}, {other} |",
                flush=True,
            )


main()
