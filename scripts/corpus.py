#!/usr/bin/env python3
"""What heddle makes of a folder of public SV-COMP programs.

    scripts/corpus.py FOLDER [--explore SECONDS]

FOLDER has folders named pthread* with .c and .i files in it, for example `test` in a clone of
https://github.com/diepbp/SlicingCBMC. Each program is written as facts: at least 95 of 100 must
be accepted, and each rejection must name its line. With --explore each is explored too, and
its verdict compared with the one in the name of its file.

Exit code 1 if too many are rejected, if a rejection has no place, or if a verdict is wrong.
"""

import argparse
import pathlib
import re
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
    parser.add_argument("--data-model", default="ilp32")
    arguments = parser.parse_args()

    programs = sorted(
        path
        for path in arguments.folder.glob("pthread*/**/*")
        if path.suffix in (".c", ".i") and path.is_file()
    )
    if not programs:
        sys.exit(f"there are no programs in {arguments.folder}/pthread*")
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
    if problems or accepted * 100 < len(programs) * 95:
        sys.exit(1)


if __name__ == "__main__":
    main()
