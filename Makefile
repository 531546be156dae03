# make demo    build heddle and show a first session
# make test    formatting, lints and every test: what CI runs
# make bench   the benchmarks behind docs/performance.md
#
# Each of them sets up libz3 first, once (see scripts/setup_z3.py).

CARGO ?= cargo

.PHONY: demo test bench build setup

demo: build
	scripts/demo.sh

build: setup
	$(CARGO) build --release

test: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace

bench: setup
	$(CARGO) bench --workspace

setup: .z3/version

.z3/version: scripts/setup_z3.py
	python3 scripts/setup_z3.py
