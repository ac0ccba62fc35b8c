#!/usr/bin/env bash
# Only the crate `confine` starts processes, so that none is started unconfined by oversight. Tests and benchmarks may.
# Prints each violation and exits with 1 if there is one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Modules of unit tests, which no release holds.
tests='crates/generate/src/testing.rs|crates/[a-z]*/src/([a-z_]*/)*tests.rs'

if grep -rn 'Command::new(' crates/*/src --include='*.rs' | grep -v '^crates/confine/' | grep -Ev "^($tests):"; then
    echo "these lines start processes outside crates/confine: use a Sandbox" >&2
    exit 1
fi
