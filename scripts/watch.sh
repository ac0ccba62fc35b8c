#!/usr/bin/env bash
# ./x bench watch: what test mode costs, and what it finds.
#
#   scripts/watch.sh CUPPING
#
# Time and memory of programs in fixtures/bench/watch with `java`, with `cupping run` and with `cupping watch`: fifty triples on hot
# methods, one that applies to each call, no triple that applies, a hundred million calls. Conditions have been compiled
# before: the least of three counts. Then commons-codec's own suite as triples for a program that uses it, where
# scripts/suites.sh has prepared it, and the faults of fixtures/watched.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

[ $# -ge 1 ] || die "usage: scripts/watch.sh CUPPING"
cupping=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
need time /usr/bin/time
javac -g --release 17 -d "$work" fixtures/bench/watch/*.java
cp fixtures/bench/watch/*.tj "$work"

# cost COMMAND...: seconds and megabytes of a run; the least of three.
cost() {
    local best=
    for _ in 1 2 3; do
        (cd "$work" && /usr/bin/time -o cost -f '%e %M' "$@" >/dev/null 2>"$work/said")
        best=$(awk -v best="$best" '{ split(best, old, " "); print best == "" || $1 < old[1] ? $1 " " int($2 / 1024) : best }' "$work/cost")
    done
    echo "$best"
}

row() {
    local what=$1 specification=$2 class=$3 calls=$4 java plain watched
    read -r java java_mb < <(cost java -cp . "$class" "$calls")
    read -r plain plain_mb < <(cost "$cupping" run -cp . "$class" "$calls")
    read -r watched watched_mb < <(cost "$cupping" watch --specs "$specification" -cp . "$class" "$calls")
    printf '%-34s %7.2f s %7.2f s %7.2f s %6.2f x %6d MB %6d MB %6d MB  %s\n' "$what" "$java" "$plain" "$watched" \
        "$(awk -v a="$watched" -v b="$plain" 'BEGIN { print a / b }')" "$java_mb" "$plain_mb" "$watched_mb" \
        "$(grep -o '[0-9]* calls were skipped' "$work/said" || true)"
}

printf '%-34s %9s %9s %9s %8s %9s %9s %9s\n' '' java run watch ratio java run watch
row 'fifty triples on hot methods' hot.tj Hot 3000000
row 'one applies to each call' every.tj Hot 3000000
row 'no triple applies' hot.tj Other 10000000
row 'none, but names are the same' hot.tj Cold 10000000
row 'a hundred million calls' hot.tj Cold 50000000
row 'the same, with triples' hot.tj Hot 50000000
codec=${CUPPING_SUITES_DIR:-$HOME/.cache/cupping-suites}/commons-codec/classes
if [ -d "$codec" ]; then
    jars=/usr/share/java
    mkdir "$work/codec"
    javac -g --release 17 -cp $jars/commons-codec.jar -d "$work/codec" fixtures/bench/watch/codec/*.java
    /usr/bin/time -o "$work/cost" -f "the suite of commons-codec as triples: %e s, %M kB" "$cupping" watch --suite "$codec" \
        --junit-jar $jars/junit-platform-console-standalone.jar --junit-jar $jars/junit4.jar \
        --junit-jar $jars/hamcrest.jar --junit-jar $jars/commons-io.jar --junit-jar $jars/commons-lang3.jar \
        -cp "$work/codec:$jars/commons-codec.jar" Encode >/dev/null 2>"$work/said"
    cat "$work/cost"
    grep -A8 '^test mode' "$work/said" || true
fi
cargo test --release --quiet -p cupping --test watch -- --ignored --nocapture all_faults | grep -v '^$\|^running\|^test '
