#!/usr/bin/env python3
"""Prints Tables 1 to 3 of "Predicate Abstraction with Under-Approximation Refinement" with the
figures of heddle beside those of the paper, as they stand in docs/papers.md.

    scripts/tables_of_matching.py [path of heddle]
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "docs/examples/abstract-matching"

# Name in the paper, model, further arguments; then what the paper's Table 1 says: iterations,
# concrete and abstract states by iteration, new predicates, queries.
TABLE_1 = [
    ("ticket2-err", "ticket2-err", [], 2, "15, 31", "9, 17", 5, 38),
    ("ticket3-err", "ticket3-err", [], 1, "102", "44", 4, 14),
    ("RAX-err", "rax", [], 1, "69", "44", 0, 10),
    ("bakery-err", "bakery-err", [], 1, "356", "191", 14, 89),
    ("driver-err", "driver-err", [], 1, "10", "10", 0, 2),
    ("ticket2", "ticket2", [], 4, "15, 15, 15, 15", "9, 9, 9, 9", 6, 124),
    ("ticket3", "ticket3", [], 5, "52, 58, 58, 58, 58", "25, 31, 31, 31, 31", 11, 603),
    ("RAX", "rax-quotient", ["--max-iterations", "4"], "—", "—", "—", "—", "—"),
    (
        "RAX, e1, e2 ≥ 0",
        "rax-quotient",
        ["--predicate", "e1 >= 0", "--predicate", "e2 >= 0"],
        2,
        "69, 101",
        "44, 65",
        2,
        40,
    ),
    ("bakery", "bakery", [], 3, "278, 410, 537", "152, 221, 292", 24, 1598),
    ("driver", "driver", [], 2, "10", "9", 0, 7),
]

# Queries, cache hits and new predicates of the paper's Tables 2 and 3, by iteration.
TABLE_2 = [
    (52, 25, 14, 18, "a1 <= s + 1, a2 <= s + 1, a3 <= s + 1, t <= s"),
    (58, 31, 70, 152, "a1 <= s + 2, a2 <= s + 2, a3 <= s + 2, t <= s + 1, t + 1 <= s"),
    (58, 31, 151, 475, "t <= s + 2"),
    (58, 31, 173, 585, "t <= s + 3"),
    (58, 31, 195, 657, ""),
]
TABLE_3 = [
    (69, 44, 10, 10, "e1 = 0, e2 = 0"),
    (101, 65, 20, 44, "e1 = -1, e2 = -1"),
    (101, 65, 26, 64, "e1 = -2, e2 = -2"),
    (101, 65, 32, 84, "…"),
]


def run(heddle, model, arguments):
    """The verdict and the iterations of a model."""
    with tempfile.TemporaryDirectory() as folder:
        answer = pathlib.Path(folder) / "answer.json"
        command = [heddle, "verify", str(MODELS / f"{model}.hd"), "--engine", "match"]
        command += ["--json", str(answer), *arguments]
        output = subprocess.run(command, capture_output=True, text=True)
        if not answer.exists():
            sys.exit(output.stderr)
        verdict = output.stdout.splitlines()[-1].removeprefix("VERDICT: ")
        return verdict.split(" (")[0], json.loads(answer.read_text())["statistics"]["iterations"]


def numbers(iterations, name):
    return ", ".join(str(iteration[name]) for iteration in iterations)


def total(iterations, name):
    return sum(iteration[name] for iteration in iterations)


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def table_1(heddle):
    print("Table 1. Of each pair, the paper's figure is the first.\n")
    row(["example", "verdict", "iterations", "concrete states", "abstract states",
         "new predicates", "queries"])
    row(["---"] * 7)
    for name, model, arguments, count, concrete, abstract, new, queries in TABLE_1:
        verdict, iterations = run(heddle, model, arguments)
        row([
            name,
            verdict,
            f"{count} / {len(iterations)}",
            f"{concrete} / {numbers(iterations, 'concrete_states')}",
            f"{abstract} / {numbers(iterations, 'abstract_states')}",
            f"{new} / {sum(len(i['new_predicates']) for i in iterations)}",
            f"{queries} / {total(iterations, 'queries')}",
        ])


def by_iteration(title, heddle, model, arguments, paper):
    print(f"\n{title}\n")
    row(["iteration", "concrete", "abstract", "queries", "cache hits", "new predicates"])
    row(["---"] * 6)
    _, iterations = run(heddle, model, arguments)
    for number, (iteration, figures) in enumerate(zip(iterations, paper), start=1):
        concrete, abstract, queries, hits, predicates = figures
        new = ", ".join(sorted(iteration["new_predicates"]))
        row([
            number,
            f"{concrete} / {iteration['concrete_states']}",
            f"{abstract} / {iteration['abstract_states']}",
            f"{queries} / {iteration['queries']}",
            f"{hits} / {iteration['cache_hits']}",
            "the same" if new == ", ".join(sorted(predicates.split(", "))) else new or "none",
        ])


def main():
    heddle = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/heddle")
    table_1(heddle)
    by_iteration("Table 2: ticket3.", heddle, "ticket3", [], TABLE_2)
    by_iteration("Table 3: RAX.", heddle, "rax-quotient", ["--max-iterations", "4"], TABLE_3)


main()
