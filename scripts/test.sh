#!/usr/bin/env bash
# ./x test [ARGS]: all tests of the workspace, then its doc tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

need_build
need_java
need_browser
need_build_tools
share_target

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if cargo nextest --version >/dev/null 2>&1; then
    say "cargo nextest run $*"
    cargo nextest run --status-level fail --final-status-level slow --no-fail-fast "$@" 2>&1 | tee "$log"
else
    say "cargo test $* (cargo-nextest is not installed)"
    cargo test --lib --bins --tests --quiet --no-fail-fast "$@" 2>&1 | tee "$log"
fi
if [ $# -eq 0 ]; then
    say "cargo test --doc"
    cargo test --doc --quiet
    # The closing line of the run once more, where nobody has to look for it.
    sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -E '^ *Summary|^test result' | sort | uniq -c | sed 's/^ *1 //' || true
fi
