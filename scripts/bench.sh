#!/usr/bin/env bash
# ./x bench NAME [ARGS]: runs a benchmark: of the rooms machine and solve an example of theirs, of generate the whole
# command. What it prints, heading included, is made for BENCHMARKS.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

[ $# -ge 1 ] || die "which benchmark? machine, solve, generate, sequences, suites, human, mutants, diff, dataflow, exhaust, infer, watch, files, apps, fidelity, scale or versions"
name=$1
shift
case "$name" in
    machine) run=(machine) ;;
    solve) run=(cargo run --release --quiet -p cupping-solve --example bench_solve --) ;;
    generate) run=(cargo bench --quiet -p cupping --bench generate --) ;;
    sequences) run=(sequences) ;;
    suites) run=(suites) ;;
    human) run=(human) ;;
    mutants) run=(mutants) ;;
    diff) run=(diff) ;;
    dataflow) run=(dataflow) ;;
    exhaust) run=(exhaust) ;;
    infer) run=(infer) ;;
    watch) run=(watch) ;;
    files) run=(files) ;;
    apps) run=(apps) ;;
    fidelity) run=(fidelity) ;;
    scale) run=(scale) ;;
    versions) run=(versions) ;;
    *) die "no benchmark '$name': machine, solve, generate, sequences, suites, human, mutants, diff, dataflow, exhaust, infer, watch, files, apps, fidelity, scale or versions" ;;
esac

# Start, speed and forks, each by an example of the room.
machine() {
    local built=${CARGO_TARGET_DIR:-target}/release
    "$built/examples/bench_start" fixtures/bench/start/Hello.java "$built/cupping"
    "$built/examples/bench_fork"
    "$built/examples/bench_speed" "$@" fixtures/bench
}

# All sequences up to a length on container classes, as in the thesis's Table 6.2.
sequences() {
    local classes
    classes=$(mktemp -d)
    javac -g --release 11 -d "$classes" fixtures/containers/containers/*.java
    "${CARGO_TARGET_DIR:-target}/release/examples/bench_sequences" "$classes" "$@"
    rm -rf "$classes"
}

# Likely specifications of the slides' kind of subjects and of classes of java.util: the slides' table.
infer() {
    scripts/infer.sh "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

# Mutants of commons-codec as versions: how many are told apart.
diff() {
    local built=${CARGO_TARGET_DIR:-$PWD/target}/release
    scripts/diff.sh "$built/cupping" "$built/examples/write_mutants" "$@"
}

# Real programs of Debian's packages, compared with the JDK.
fidelity() {
    scripts/fidelity.sh "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

# Tests of code that works on files, run by JUnit under strace.
files() {
    scripts/files.sh "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

# Plan, work and merge: many classes, two threads, a simulated cluster.
scale() {
    local built=${CARGO_TARGET_DIR:-$PWD/target}/release
    cargo build --release --quiet -p cupping-jobs --example bench_scale
    for what in "${@:-many}"; do
        BENCH_SCALE=$built/examples/bench_scale scripts/scale.sh "$built/cupping" "$what"
    done
}

# Applications of collaborating objects, beside the suites that a person wrote.
apps() {
    scripts/apps.sh "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

# The command beside that of an older revision: times row by row, and how the sources of both are built.
versions() {
    [ $# -ge 1 ] || die "which revision was before? ./x bench versions REVISION [ROUNDS [ROWS]]"
    scripts/structure.sh "$1"
    echo
    scripts/versions.sh "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

# The suites of real libraries, against the JDK.
suites() {
    scripts/suites.sh bench "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

# What the suites that people wrote cover of their libraries, beside what Cupping's tests do.
human() {
    scripts/human.sh "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

# How many small faults in commons-codec its people's suite notices, and how many Cupping's tests do.
mutants() {
    scripts/mutants.sh "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

# Definition-use pairs of stateful classes (fixtures/bench/dataflow-classes): how many deduction and search decide, and of
# the feasible ones how many the search of generate alone exercises in 10 s, and how many the human suites do.
dataflow() {
    CUPPING_BENCH_CLASSES=fixtures/bench/dataflow-classes scripts/dataflow.sh \
        "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

# Structures counted from relations and by predicates in Java.
exhaust() {
    scripts/exhaust.sh "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

# Test mode beside a plain run, and the faults that it finds (fixtures/watched).
watch() {
    scripts/watch.sh "${CARGO_TARGET_DIR:-$PWD/target}/release/cupping" "$@"
}

need_build
need_java
share_target
say "building (release)"
case "$name" in
    generate) cargo bench --quiet -p cupping --bench generate --no-run ;;
    sequences) cargo build --release --quiet -p cupping-generate --examples ;;
    infer) cargo build --release --quiet -p cupping -p cupping-infer --bins --examples ;;
    suites | human | mutants | dataflow | exhaust | watch | files | apps | versions) cargo build --release --quiet -p cupping ;;
    diff) cargo build --release --quiet -p cupping -p cupping-mutate --bins --examples ;;
    machine) cargo build --release --quiet -p cupping-machine -p cupping --bins --examples ;;
    *) cargo build --release --quiet -p "cupping-$name" --examples ;;
esac

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
commit=$(git rev-parse --short HEAD 2>/dev/null || echo "no commit")
git diff --quiet HEAD 2>/dev/null || commit="$commit, changed"
cat <<END
### $name, $(date +%Y-%m-%d)

| machine | cores | memory | system | rustc | java | commit |
|---|---|---|---|---|---|---|
| ${cpu:-unknown} | $(nproc) | $(free -g | awk '/^Mem/ { print $2 " GB" }') | $(. /etc/os-release && echo "$PRETTY_NAME") | $(rustc --version | cut -d' ' -f2) | $(java -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p') | $commit |

\`\`\`
END
"${run[@]}" "$@"
echo '```'
