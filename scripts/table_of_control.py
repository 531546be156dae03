#!/usr/bin/env python3
"""Prints Table 1 of "Non-Monotonic Refinement of Control Abstraction for Concurrent
Programs" as measured here, beside the paper's classes and time saved.

    scripts/table_of_control.py target/release/heddle [RUNS]

Each program is verified by each scheme RUNS times (5), a process each time, and the least time
counts: what else the machine does only makes runs slower. As in the paper, time is that of abstract
reachability and of refinement together. Processor time of the whole process, start-up, front end
and check of the invariant included, is in the last column.
"""

import json
import resource
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
SCHEMES = ("monotonic", "non-monotonic")
SECONDS = "60"


class Measured:
    """The least times of some runs."""

    def __init__(self):
        self.runs = []

    def run(self, heddle, program, scheme):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            command = [heddle, "verify", program, "--engine", "control", "--refinement", scheme]
            command += ["--timeout", SECONDS, "--json", file.name]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            result = json.load(open(file.name))
        statistics = result["statistics"]
        parts = [statistics["seconds"][part] for part in ("reachability", "refinement")]
        self.runs.append((sum(parts), parts, whole))
        self.rounds = len(statistics["rounds"])
        self.classes = statistics["classes"]
        self.verdict = result["verdict"]["kind"]

    @property
    def seconds(self):
        return min(run[0] for run in self.runs)

    @property
    def whole(self):
        return min(run[2] for run in self.runs)

    def cell(self):
        reachability, refinement = min(self.runs)[1]
        parts = f"{1000 * reachability:.0f} + {1000 * refinement:.0f}"
        return f"{1000 * self.seconds:.0f} ms = {parts} | {self.rounds}"


def saved(slow, fast):
    return f"{100 * (1 - fast / slow):.0f} %"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    heddle = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) == 3 else 5
    examples = Path(__file__).resolve().parent.parent / "docs/examples/control-abstraction"
    columns = ["program"]
    for scheme in SCHEMES:
        columns += [f"{scheme}: time = reachability + refinement", "rounds", "classes"]
    columns += ["time saved", "verdicts", "whole process"]
    print(f"| {' | '.join(columns)} |")
    print("| --- " * len(columns) + "|")
    for name, (many, few, paper) in PAPER.items():
        for form in ("hd", "c"):
            program = str(examples / f"{name}.{form}")
            slow, fast = measured = (Measured(), Measured())
            for _ in range(runs):
                for scheme, measurement in zip(SCHEMES, measured):
                    measurement.run(heddle, program, scheme)
            print(
                f"| {name}.{form} | {slow.cell()} | {many} / {slow.classes} "
                f"| {fast.cell()} | {few} / {fast.classes} "
                f"| {paper} % / {saved(slow.seconds, fast.seconds)} "
                f"| {slow.verdict}, {fast.verdict} "
                f"| {1000 * slow.whole:.0f} ms, {1000 * fast.whole:.0f} ms: "
                f"{saved(slow.whole, fast.whole)} |",
                flush=True,
            )


main()
