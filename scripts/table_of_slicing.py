#!/usr/bin/env python3
"""Table 1 of "Counter-Example Guided Program Verification", with heddle's engines.

    scripts/table_of_slicing.py FOLDER [--timeout SECONDS] [--every N]

FOLDER is `test` in a clone of https://github.com/diepbp/SlicingCBMC. Each program is verified by
`schedule` and by `slice` on top of it, one after the other; the verdict is in the name of its file.
As in the paper, a program passes if it is answered rightly, a row is a sub-category, and the times
are sums over the programs that pass; here of processor time, and of those that pass with both.
`SAFE UP TO BOUND` passes for a program that is safe. The last column is the share of shared
variables that the first abstraction keeps.

Exit code 1 if a verdict is wrong.
"""

import argparse
import collections
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

from corpus import ROOT, expected

ENGINES = ["schedule", "slice"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--heddle", default=ROOT / "target/release/heddle")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--only", default="pthread*", metavar="GLOB", help="which subfolders")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth program only")
    parser.add_argument("--data-model", default="ilp32")
    arguments = parser.parse_args()

    rows = collections.defaultdict(list)
    programs = arguments.folder.glob(f"{arguments.only}/**/*")
    programs = sorted(p for p in programs if p.suffix in (".c", ".i") and p.is_file())
    for path in programs[:: arguments.every]:
        safe = expected(path)
        if safe is None:
            continue
        answers = {engine: verify(arguments, path, engine) for engine in ENGINES}
        rows[sub_category(path, safe)].append((path, safe, answers))
    if not rows:
        sys.exit(f"there are no programs in {arguments.folder}/{arguments.only}")

    wrong = []
    print("| sub-category | programs | `schedule` pass | s | `slice` pass | s | variables kept |")
    print("|---|---|---|---|---|---|---|")
    for name, programs in sorted(rows.items()):
        print(row(name, programs, wrong))
    for path, engine in wrong:
        print(f"wrong: {engine} on {path}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


def sub_category(path, safe):
    kind = path.parent.name
    if kind == "pthread-wmm":
        kind += "-" + re.match("[a-z]*", path.name).group()
    return kind + ("-safe" if safe else "-unsafe")


def verify(arguments, path, engine):
    """The verdict, the processor time in seconds, and the share of variables kept."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [arguments.heddle, "verify", path, "--engine", engine, "--json", report.name]
        command += ["--timeout", arguments.timeout, "--data-model", arguments.data_model]
        before = processor_time()
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        time = processor_time() - before
        verdict = run.stdout.rpartition("VERDICT: ")[2].strip()
        levels = []
        if engine == "slice" and verdict:
            statistics = json.loads(pathlib.Path(report.name).read_text())["statistics"]
            # An engine that was ended by its limit says nothing of levels.
            levels = statistics.get("levels", [])
    kept = None
    if levels:
        kept, sliced = len(levels[0]["kept"]), len(levels[0]["sliced"])
        kept = kept / (kept + sliced) if kept + sliced else None
    return verdict, time, kept


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def passes(safe, verdict):
    return verdict.startswith("SAFE") if safe else verdict == "UNSAFE"


def row(name, programs, wrong):
    counts = {engine: 0 for engine in ENGINES}
    times = {engine: 0 for engine in ENGINES}
    for path, safe, answers in programs:
        passed = {engine: passes(safe, answers[engine][0]) for engine in ENGINES}
        for engine in ENGINES:
            counts[engine] += passed[engine]
            verdict = answers[engine][0]
            # What is safe up to a bound is not said to be safe.
            if verdict == ("UNSAFE" if safe else "SAFE"):
                wrong.append((path, engine))
        if all(passed.values()):
            for engine in ENGINES:
                times[engine] += answers[engine][1]
    shares = [answers["slice"][2] for _, _, answers in programs]
    shares = [share for share in shares if share is not None]
    kept = f"{sum(shares) / len(shares):.2f}" if shares else ""
    cells = [name, len(programs)]
    for engine in ENGINES:
        cells += [counts[engine], f"{times[engine]:.1f}"]
    return "| " + " | ".join(str(cell) for cell in cells + [kept]) + " |"


if __name__ == "__main__":
    main()
