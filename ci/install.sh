#!/bin/sh
# Puts `cupping` on the PATH of a job: the one that is there, else that of an archive with its checksum, else built from
# the sources beside this script.
#
#   CUPPING_ARCHIVE  an address of a release archive (tar.gz with bin/cupping in its one folder)
#   CUPPING_SHA256   the SHA-256 of it; an archive without one is refused
#   CUPPING_PREFIX   where to install [$HOME/.local]
set -eu

prefix=${CUPPING_PREFIX:-$HOME/.local}
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

# What the steps that follow find on their PATH.
announce() {
    if [ -n "${GITHUB_PATH:-}" ]; then echo "$prefix/bin" >>"$GITHUB_PATH"; fi
    "$prefix/bin/cupping" --version
}

if command -v cupping >/dev/null; then
    cupping --version
elif [ -n "${CUPPING_ARCHIVE:-}" ]; then
    if [ -z "${CUPPING_SHA256:-}" ]; then
        echo "install.sh: CUPPING_SHA256 is not set; an archive is not used without its checksum" >&2
        exit 2
    fi
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    case $CUPPING_ARCHIVE in
        file://*) cp -- "${CUPPING_ARCHIVE#file://}" "$scratch/cupping.tar.gz" ;;
        *) curl -fsSL --retry 3 -o "$scratch/cupping.tar.gz" "$CUPPING_ARCHIVE" ;;
    esac
    if ! echo "$CUPPING_SHA256  $scratch/cupping.tar.gz" | sha256sum -c - >/dev/null; then
        echo "install.sh: $CUPPING_ARCHIVE has another checksum than CUPPING_SHA256 says; nothing is installed" >&2
        exit 2
    fi
    mkdir -p "$prefix"
    tar -xzf "$scratch/cupping.tar.gz" -C "$prefix" --strip-components=1 --no-same-owner
    announce
else
    command -v cargo >/dev/null || {
        echo "install.sh: neither cupping nor cargo is on the PATH, and CUPPING_ARCHIVE is not set" >&2
        exit 2
    }
    cargo install --locked --quiet --path "$here/crates/cupping" --root "$prefix"
    announce
fi
