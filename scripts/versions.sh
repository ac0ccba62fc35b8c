#!/usr/bin/env bash
# scripts/versions.sh CUPPING BEFORE [ROUNDS [ROWS]]: the command here beside that of an older revision, row by row.
#
# The older one is built once and kept in ~/.cache/cupping-versions. The two run alternately, ROUNDS times (3); the
# least processor time of each counts, which other work on the machine changes least. ROWS is a regular expression for
# names of rows. Options are those that both understand; `generate` aims at branches alone, since the goals that it has
# by default are others in each version, and with a budget that none of its rows uses up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

[ $# -ge 2 ] || die "usage: scripts/versions.sh CUPPING BEFORE [ROUNDS [ROWS]]"
declare -A binary=([now]=$1)
revision=$(git rev-parse --short "$2") || die "no revision '$2'"
rounds=${3:-3}
rows=${4:-.}

kept=${CUPPING_VERSIONS_DIR:-${HOME:?}/.cache/cupping-versions}/$revision
binary[before]=$kept/cupping
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! [ -x "${binary[before]}" ]; then
    say "building $revision (release)"
    mkdir -p "$kept"
    git clone --quiet --shared --no-checkout . "$work/sources"
    git -C "$work/sources" checkout --quiet "$revision"
    (cd "$work/sources" && CARGO_TARGET_DIR=$work/target cargo build --release --quiet -p cupping)
    mv "$work/target/release/cupping" "${binary[before]}"
fi

classes=$work/classes
javac -g --release 17 -nowarn -Xlint:none -d "$classes" fixtures/bench/*.java fixtures/containers/containers/*.java \
    fixtures/exhaust/structures/*.java fixtures/bench/watch/*.java fixtures/infer/subjects/*.java
cp fixtures/bench/watch/*.tj "$classes"

# seconds COMMAND…: user time with that of processes it starts.
seconds() {
    local TIMEFORMAT=%U
    { time "$@" >"$work/out" 2>"$work/err" </dev/null; } 2>"$work/time" || true
    tail -n 1 "$work/time"
}

# row NAME ARGUMENTS…: both versions with the same arguments.
row() {
    local name=$1 version least time
    shift
    [[ $name =~ $rows ]] || return 0
    : >"$work/times"
    for ((round = 0; round < rounds; round++)); do
        for version in before now; do
            time=$(cd "$classes" && seconds "${binary[$version]}" "$@")
            echo "$version $time" >>"$work/times"
        done
    done
    least=$(awk '{ if (!($1 in least) || $2 < least[$1]) least[$1] = $2 }
        END { printf "%.2f | %.2f | %.2f", least["before"], least["now"], least["now"] / (least["before"] > 0 ? least["before"] : 0.001) }' "$work/times")
    printf '| %s | %s |\n' "$name" "$least"
}

printf '| | %s, s | now, s | ratio |\n|---|---|---|---|\n' "$revision"
for kernel in Calls Fields HashMaps IntLoops SortLambda StringBuilders VirtualCalls; do
    row "machine: $kernel" run -cp . "$kernel"
done
for class in IntStack BinSearchTree HeapArray TreeMap; do
    row "generate: $class" generate -cp . "containers.$class" --criterion branch --budget 60s --quiet \
        --out "$work/tests"
done
row 'exhaust: search trees, 8' exhaust --repok "Trees\$Search.repOk" --scope 'Node=8,size=8,key=1..8' --count -cp .
row 'exhaust: sorted lists, 10' exhaust --repok "Structures\$Sorted.repOk" --scope 'Cell=10,size=10,value=1..10' --count -cp .
row 'exhaust: red-black trees, 7' exhaust "$PWD/fixtures/exhaust/treemap.spec" --scope 'exactly 7 Entry, 1..7 int' --count -cp .
row 'watch: fifty triples' watch --specs hot.tj -cp . Hot 1000000
row 'watch: one applies to each call' watch --specs every.tj -cp . Hot 1000000
row 'watch: none applies' watch --specs hot.tj -cp . Other 5000000
row 'infer: UBStack' infer -cp . subjects.UBStack --axiomatic --budget 0s
