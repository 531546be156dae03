#!/usr/bin/env python3
"""What heddle makes of a folder of public SV-COMP programs.

    scripts/corpus.py FOLDER [--explore SECONDS | --verify SECONDS]

FOLDER has folders named pthread* with .c and .i files in it, for example `test` in a clone of
https://github.com/diepbp/SlicingCBMC. Each program is written as facts: at least 95 of 100 must
be accepted, and each rejection must name its line. With --explore each is explored too, and
its verdict compared with the one in the name of its file.

With --verify each is verified instead, by the `schedule` engine: the verdict is compared with
the one in the name, and at least 95 of 100 must be answered. For a program that is safe, `SAFE UP
TO BOUND` counts as an answer. --only and --every choose some of the programs, --table writes a
line for each.

Exit code 1 if too many are rejected or not answered, if a rejection has no place, or if a
verdict is wrong.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def expected(path):
    """Whether the name of the file says that the program is safe; None if it says nothing."""
    found = re.search(r"[_-](true|false)(?![a-z])", path.name)
    return found and found.group(1) == "true"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--heddle", default=ROOT / "target/release/heddle")
    parser.add_argument("--explore", type=float, metavar="SECONDS")
    parser.add_argument("--verify", type=float, metavar="SECONDS")
    parser.add_argument("--only", default="pthread*", metavar="GLOB", help="which subfolders")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth program only")
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--data-model", default="ilp32")
    arguments = parser.parse_args()

    programs = sorted(
        path
        for path in arguments.folder.glob(f"{arguments.only}/**/*")
        if path.suffix in (".c", ".i") and path.is_file()
    )[:: arguments.every]
    if not programs:
        sys.exit(f"there are no programs in {arguments.folder}/{arguments.only}")
    if arguments.verify is not None:
        sys.exit(verify(arguments, programs))
    sys.exit(accept(arguments, programs))


def accept(arguments, programs):
    """Writes each as facts and explores it; returns the exit code."""
    accepted, problems, verdicts, times = 0, [], {}, []
    with tempfile.TemporaryDirectory() as scratch:

        def heddle(command, path, *options):
            command = [arguments.heddle, command, path, "--data-model", arguments.data_model]
            return subprocess.run(
                [*map(str, command), *map(str, options)], capture_output=True, text=True
            )

        for path in programs:
            name = path.relative_to(arguments.folder)
            started = time.monotonic()
            run = heddle("facts", path, "-o", pathlib.Path(scratch) / "facts")
            times.append((time.monotonic() - started, name))
            if run.returncode != 0:
                print(f"rejected: {name}\n{run.stderr}")
                placed = re.search(r"--> .*:\d+:\d+", run.stderr)
                if run.returncode != 2 or not placed:
                    problems.append(f"{name}: exit code {run.returncode}, no place")
                continue
            accepted += 1
            if arguments.explore is None:
                continue
            run = heddle("explore", path, "--timeout", arguments.explore)
            verdict = run.stdout.strip().rsplit("\n", 1)[-1].removeprefix("VERDICT: ")
            kind = verdict.split(" (")[0]
            safe = expected(path)
            verdicts[safe, kind] = verdicts.get((safe, kind), 0) + 1
            if (safe, kind) in [(True, "UNSAFE"), (False, "SAFE")]:
                problems.append(f"{name}: {verdict}")

    print(f"{accepted} of {len(programs)} programs are accepted")
    longest, name = max(times)
    average = sum(time for time, _ in times) / len(times)
    print(f"{average * 1000:.0f} ms each, at most {longest * 1000:.0f} ms ({name})")
    words = {True: "safe", False: "unsafe", None: "not stated"}
    for (safe, kind), count in sorted(verdicts.items(), key=str):
        print(f"{count:5} {words[safe]:10} {kind}")
    for problem in problems:
        print(f"wrong: {problem}")
    return 1 if problems or accepted * 100 < len(programs) * 95 else 0


class Run:
    """One program, verified."""

    def __init__(self, arguments, path, scratch):
        self.path = path
        self.folder = path.relative_to(arguments.folder).parts[0]
        self.name = path.relative_to(arguments.folder)
        report = scratch / "report.json"
        report.unlink(missing_ok=True)
        command = [arguments.heddle, "verify", path, "--engine", "schedule"]
        command += ["--data-model", arguments.data_model]
        command += ["--timeout", arguments.verify, "--json", report]
        started = time.monotonic()
        with open(scratch / "out", "w+") as out, open(scratch / "err", "w+") as err:
            child = subprocess.Popen([*map(str, command)], stdout=out, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            lines = out.read().strip().split("\n")
            complaint = err.read().strip().split("\n")[0]
        self.seconds = time.monotonic() - started
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss / 1024
        self.verdict = lines[-1].removeprefix("VERDICT: ") or f"{child.returncode}: {complaint}"
        self.statistics = {}
        if report.exists():
            self.statistics = json.loads(report.read_text())["statistics"]

    def is_wrong(self):
        safe = expected(self.path)
        if self.verdict == "UNSAFE":
            return safe is True
        return self.verdict == "SAFE" and safe is False

    def is_answered(self):
        if self.verdict in ("SAFE", "UNSAFE"):
            return True
        return self.verdict.startswith("SAFE UP TO BOUND") and expected(self.path) is True

    def rules_share(self):
        """Which part of the time the rules and their reasons took."""
        return self.statistics["seconds"]["rules"] / self.seconds

    def line(self):
        rounds = self.statistics.get("rounds", "")
        events = self.statistics.get("events", "")
        cells = [self.name, self.verdict, f"{self.seconds:.2f}", f"{self.cpu:.2f}"]
        cells += [rounds, events, f"{self.memory:.0f}"]
        return "\t".join(map(str, cells))


def verify(arguments, programs):
    """Verifies each; returns the exit code."""
    runs = []
    table = open(arguments.table, "w") if arguments.table else None
    with tempfile.TemporaryDirectory() as scratch:
        for path in programs:
            run = Run(arguments, path, pathlib.Path(scratch))
            runs.append(run)
            if table:
                print(run.line(), file=table, flush=True)
    for run in runs:
        if run.is_wrong():
            print(f"wrong: {run.line()}")
        elif not run.is_answered():
            print(f"not answered: {run.line()}")
    print(f"{'':14} programs answered wrong  median s  CPU s  largest s  rounds<80  MiB")
    folders = sorted({run.folder for run in runs})
    for folder in [*folders, None]:
        some = [run for run in runs if folder in (None, run.folder)]
        known = [run for run in some if run.statistics]
        few = sum(run.statistics["rounds"] < 80 for run in known)
        print(
            f"{folder or 'all':14} {len(some):8}"
            f" {sum(run.is_answered() for run in some):8}"
            f" {sum(run.is_wrong() for run in some):5}"
            f" {statistics.median(run.seconds for run in some):9.2f}"
            f" {statistics.median(run.cpu for run in some):6.2f}"
            f" {max(run.seconds for run in some):10.2f}"
            f" {few / max(1, len(known)):9.0%}"
            f" {max(run.memory for run in some):5.0f}"
        )
    large = [run for run in runs if run.statistics.get("events", 0) > 500]
    if large:
        share = statistics.median(run.rules_share() for run in large)
        print(f"{len(large)} with over 500 events: rules and reasons take {share:.0%} (median)")
    answered = sum(run.is_answered() for run in runs)
    wrong = any(run.is_wrong() for run in runs)
    return 1 if wrong or answered * 100 < len(runs) * 95 else 0


if __name__ == "__main__":
    main()
