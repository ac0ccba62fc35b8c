#!/usr/bin/env bash
# ./x fuzz class-file|run [SECONDS] [SEED]: mutants of valid classes for so long, by our own driver (no special compiler).
# ./x fuzz dataflow [SECONDS] [SEED]: verdicts of `cupping dataflow` on random classes, held against runs on the JDK.
# ./x fuzz guided class_file|run [SECONDS]: the same guided by coverage, with cargo-fuzz if it is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

need_build
need_java
share_target

target=${1:-run}
case "$target" in
    class-file) test=fuzz::mutants_are_read_or_refused ;;
    run) test=fuzz::mutants_are_run_to_an_end ;;
    dataflow)
        say "fuzz dataflow for ${2:-300} s"
        CUPPING_FUZZ_SECONDS=${2:-300} CUPPING_FUZZ_SEED=${3:-$(date +%s)000} \
            cargo test --quiet --release -p cupping-dataflow --test differential -- \
            --exact verdicts_hold_on_random_classes_for_a_given_time --ignored --nocapture
        exit
        ;;
    guided)
        cargo fuzz --version >/dev/null 2>&1 || {
            echo "fuzz: cargo-fuzz is not installed (cargo install cargo-fuzz)" >&2
            exit 1
        }
        classes=$(mktemp -d)
        trap 'rm -rf "$classes"' EXIT
        javac -nowarn --release 17 -d "$classes" fixtures/hostile/*.java
        mkdir -p "fuzz/corpus/${2:-run}"
        cp "$classes"/*.class "fuzz/corpus/${2:-run}/"
        # Instrumentation is for nightly compilers; this lets a stable one do it.
        CUPPING_FUZZ_CLASSES=$classes RUSTC_BOOTSTRAP=1 \
            cargo fuzz run --sanitizer none "${2:-run}" -- -max_total_time="${3:-300}" -timeout=30 -rss_limit_mb=4096
        exit
        ;;
    *)
        echo "fuzz: no target '$target'; there are class-file, run, dataflow and guided" >&2
        exit 2
        ;;
esac
# Another part of the mutants each time, unless one is asked for.
seed=${3:-$(date +%s)000}
say "fuzz $target for ${2:-300} s from mutant $seed"
CUPPING_FUZZ_SECONDS=${2:-300} CUPPING_FUZZ_SEED=$seed \
    cargo test --quiet --release -p cupping-machine --test hostile -- --exact "$test" --nocapture
