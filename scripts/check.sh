#!/usr/bin/env bash
# ./x check: what must hold of the sources besides their tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

# A check that fails without a word would leave only its heading in a log.
trap 'say "failed: $BASH_COMMAND"' ERR

need_build
share_target

say "cargo fmt --check"
cargo fmt --all --check
say "cargo clippy"
cargo clippy --workspace --all-targets --quiet -- -D warnings
say "cargo doc"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --quiet
say "arrows between crates point down"
scripts/arrows.sh
say "no circles between files but those in scripts/circles.txt"
cargo run --quiet -p cupping-circles -- crates scripts/circles.txt
say "lines have at most 120 columns"
scripts/lines.sh
say "source files have at most 500 lines"
scripts/sizes.sh
say "processes are started in one crate"
scripts/processes.sh
if command -v python3 >/dev/null; then
    say "tests of integrations/ray without Ray"
    python3 -W error::SyntaxWarning -m unittest discover --quiet integrations/ray/tests
fi
if command -v shellcheck >/dev/null; then
    say "shellcheck"
    shellcheck -x x .ci/run scripts/*.sh ci/*.sh
fi
echo "all checks passed"
