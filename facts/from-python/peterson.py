#!/usr/bin/env python3
"""Prints Peterson's mutual exclusion as a folder of program facts.

    ./peterson.py peterson && heddle explore peterson
"""

import sys
from collections import defaultdict
from pathlib import Path

facts = defaultdict(list)


def fact(relation, *columns):
    facts[relation].append("\t".join(str(column) for column in columns))


def shared(name, sort, initial):
    fact("variable", name, sort, 0)
    fact("initial", name, initial)


class Thread:
    def __init__(self, name):
        self.name = name
        self.locations = set()
        fact("thread", name, "idle", "beginning")

    def location(self, location):
        if location not in self.locations:
            self.locations.add(location)
            fact("location", self.name, location)
        return location

    def step(self, source, target, statement=None, *columns):
        edge = f"{self.name}.{len(facts['edge'])}"
        fact("edge", edge, self.name, self.location(source), self.location(target))
        if statement:
            fact(statement, edge, *columns)


def process(me, other):
    """Wants in, lets the other go first, waits, enters, leaves, and starts again."""
    thread = Thread(f"p{me}")
    thread.step("idle", "wants", "assign", f"flag{me}", "-", "true")
    thread.step("wants", "waits", "assign", "turn", "-", other)
    # Each look at a shared variable is a step of its own.
    thread.step("waits", "looks", "assume", f"flag{other}")
    thread.step("waits", "critical", "assume", f"(not flag{other})")
    thread.step("looks", "waits", "assume", f"(= turn {other})")
    thread.step("looks", "critical", "assume", f"(= turn {me})")
    thread.step("critical", "idle", "assign", f"flag{me}", "-", "false")


shared("flag0", "Bool", "false")
shared("flag1", "Bool", "false")
shared("turn", "Int", 0)
process(0, 1)
process(1, 0)
fact("error", "(and (at p0 critical) (at p1 critical))")

if len(sys.argv) != 2:
    sys.exit("usage: peterson.py FOLDER")
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for relation, lines in facts.items():
    (folder / f"{relation}.facts").write_text("\n".join(lines) + "\n")
