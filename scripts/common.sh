# Shared by the scripts of ./x; sourced, not run.
# shellcheck shell=bash

# Says what is done next, apart from the output of the tools.
say() {
    if [ -t 2 ]; then
        printf '\033[1m==>\033[0m %s\n' "$*" >&2
    else
        printf '==> %s\n' "$*" >&2
    fi
}

die() {
    printf 'x: %s\n' "$*" >&2
    exit 1
}

# need PACKAGE WITNESS ...: installs the Debian packages whose witness (a file, or a command) is not there.
need() {
    local missing=()
    while [ $# -gt 0 ]; do
        if ! [ -e "$2" ] && ! command -v "$2" >/dev/null; then
            missing+=("$1")
        fi
        shift 2
    done
    [ ${#missing[@]} -eq 0 ] && return
    command -v apt-get >/dev/null || die "please install (names as in Debian 12): ${missing[*]}"
    local sudo=()
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    "${sudo[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null 2>&1 && return
    "${sudo[@]}" apt-get update -qq
    "${sudo[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null
}

# What every build and every test run needs.
need_build() {
    command -v cargo >/dev/null || die "cargo is not on the PATH: install Rust from https://rustup.rs"
    need libz3-dev /usr/include/z3.h build-essential cc
}

need_java() {
    need default-jdk-headless javac \
        junit4 /usr/share/java/junit4.jar \
        junit5 /usr/share/java/junit-jupiter-engine.jar \
        libassertj-core-java /usr/share/java/assertj-core.jar \
        testng /usr/share/java/testng.jar \
        libcommons-lang3-java /usr/share/java/commons-lang3.jar \
        libjacoco-java /usr/share/java/org.jacoco.agent.jar \
        strace strace
}

# Projects that the tests build without a network: Maven with its plugins, Gradle, and Bazel.
need_build_tools() {
    local plugins=/usr/share/maven-repo/org/apache/maven/plugins
    need maven mvn \
        libmaven-compiler-plugin-java $plugins/maven-compiler-plugin \
        libmaven-resources-plugin-java $plugins/maven-resources-plugin \
        libsurefire-java $plugins/maven-surefire-plugin \
        gradle gradle \
        bazel-bootstrap bazel
}

# A linker for other systems, and Z3 for them: wheels of the Python index, each known by its digest. Sets TOOLS.
need_zig() {
    TOOLS=${CUPPING_RELEASE_TOOLS:-${HOME:?}/.cache/cupping-release}
    need python3-venv /usr/share/doc/python3-venv
    if ! [ -x "$TOOLS/venv/bin/cargo-zigbuild" ]; then
        say "fetching zig, cargo-zigbuild and Z3"
        mkdir -p "$TOOLS"
        python3 -m venv "$TOOLS/venv"
        "$TOOLS/venv/bin/pip" install -q --no-deps --require-hashes -r scripts/release-tools.txt
    fi
}

# The tests look at the pages of --html in it.
need_browser() {
    need chromium chromium
}

# One target folder for all checkouts, outside of them, unless the caller chose one or none can be made.
share_target() {
    local dir=${CUPPING_TARGET_DIR:-${HOME:-/nonexistent}/.cache/cupping-target}
    if [ -z "${CARGO_TARGET_DIR:-}" ] && mkdir -p "$dir" 2>/dev/null && [ -w "$dir" ]; then
        export CARGO_TARGET_DIR=$dir
    fi
    [ -z "${CARGO_TARGET_DIR:-}" ] || take_target
}

# Cargo takes what another checkout built for built here: it compares paths within the workspace, and times. So our own
# crates are built anew in a target folder that another checkout used last. Those of others stay.
take_target() {
    local owner=$CARGO_TARGET_DIR/cupping-checkout
    mkdir -p "$CARGO_TARGET_DIR"
    [ "$(cat "$owner" 2>/dev/null)" != "$PWD" ] || return 0
    rm -rf "$CARGO_TARGET_DIR"/*/.fingerprint/cupping-* "$CARGO_TARGET_DIR"/*/*/.fingerprint/cupping-*
    printf '%s\n' "$PWD" >"$owner"
}
