#!/usr/bin/env bash
# ./x targets: whether the code compiles for Windows and macOS. Nothing is linked or run: that needs such a system.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/common.sh

readonly TARGETS=(x86_64-pc-windows-gnu aarch64-apple-darwin x86_64-apple-darwin)

need_build
need_zig
command -v rustup >/dev/null || die "rustup is not on the PATH; it fetches the standard libraries of other systems"
# zig compiles the C of zlib; Z3's headers are the same everywhere.
export PATH="$TOOLS/venv/bin:$PATH"
export CARGO_TARGET_DIR=${CUPPING_TARGETS_TARGET:-$TOOLS/targets}
export Z3_NO_PKG_CONFIG=1 Z3_SYS_Z3_VERSION=4.8.12 Z3_SYS_Z3_HEADER=/usr/include/z3.h
Z3_LIBRARY_PATH_OVERRIDE=$(echo "$TOOLS"/venv/lib/python3*/site-packages/z3/lib)
export Z3_LIBRARY_PATH_OVERRIDE
take_target

for target in "${TARGETS[@]}"; do
    say "cargo check for $target"
    rustup -q target add "$target"
    cargo-zigbuild check -q --locked --workspace --target "$target"
done
say "the code compiles for ${TARGETS[*]}"
