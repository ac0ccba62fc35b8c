#!/usr/bin/env bash
# scripts/infer.sh CUPPING: the slides' table for the subjects of fixtures/infer, and how long classes of java.util take.
# Selected tests (SelT) and those that reveal something (FRT: illegal inputs and faults), with inferred preconditions as
# guards and without.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

cupping=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
api=/usr/share/java/junit-jupiter-api.jar:/usr/share/java/apiguardian-api.jar
javac -nowarn -g --release 11 -d "$work/classes" fixtures/infer/subjects/*.java
javac -nowarn -g --release 11 -cp "$work/classes:$api" -d "$work/suite" fixtures/infer/suites/*.java

seconds() {
    local TIMEFORMAT=%U
    { time "$@" >"$work/out" 2>"$work/err"; } 2>&1
}

printf '%-28s %8s %6s  %s\n' class 'time s' likely 'selected/revealing by round: with preconditions, without'
row() {
    local class=$1 time
    shift
    time=$(seconds "$cupping" infer "$class" --axiomatic --story "$@" || true)
    awk -v class="$class" -v time="$time" '
        /^round / {
            n = split($0, part, /[;:] */)
            match(part[2], /[0-9]+/); likely = substr(part[2], RSTART, RLENGTH)
            gsub(/[^0-9,]+/, " ", part[3])
            split(part[3], side, ",")
            split(side[1], w, " "); split(side[2], o, " ")
            rounds = rounds sprintf(" %d/%d %d/%d;", w[1], w[2], o[1], o[2])
        }
        /^fixed point/ { fixed = " fixed point" }
        END { printf "%-28s %8s %6s %s%s\n", class, time, likely, rounds, fixed }
    ' "$work/out"
}

row subjects.UBStack -cp "$work/classes" --suite "$work/suite"
for name in RatPoly RatPolyStack BinaryHeap BinarySearchTree DisjSets QueueAr StackAr StackLi; do
    row "subjects.$name" -cp "$work/classes"
done
for name in ArrayList LinkedList ArrayDeque HashMap HashSet LinkedHashMap LinkedHashSet TreeMap TreeSet PriorityQueue Stack Vector \
    BitSet Hashtable IdentityHashMap StringJoiner Optional OptionalInt IntSummaryStatistics Random StringTokenizer UUID; do
    row "java.util.$name"
done

# Beside Daikon 5.8.25, which takes 1 s for tracing its own tester of StackAr and 2.4 s for inference on a machine of this kind (quoted).
printf '\ntraces and inference alone, 5000 calls each: '
for name in StackAr QueueAr; do
    printf '%s %s s  ' "$name" "$(seconds "$cupping" infer -cp "$work/classes" "subjects.$name" \
        --axiomatic --budget 0s --paths 0 --rounds 0 --executions 5000)"
done
printf '\n'
cat fixtures/infer/daikon/figures.txt
