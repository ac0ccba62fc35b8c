#!/usr/bin/env bash
# scripts/infer.sh CUPPING: the slides' table for the subjects of fixtures/infer, and how long classes of java.util take.
# Selected tests (SelT) and those that reveal something (FRT: illegal inputs and faults), with inferred preconditions as
# guards and without.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh
need time /usr/bin/time

cupping=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
api=/usr/share/java/junit-jupiter-api.jar:/usr/share/java/apiguardian-api.jar
javac -nowarn -g --release 11 -d "$work/classes" fixtures/infer/subjects/*.java
javac -nowarn -g --release 11 -cp "$work/classes:$api" -d "$work/suite" fixtures/infer/suites/*.java

# Processor time of a command in seconds, and its memory in MiB.
costs() {
    /usr/bin/time -q -f '%U %M' -o "$work/costs" "$@" >"$work/out" 2>"$work/err" || true
    awk 'END { printf "%s %.0f\n", $1, $2 / 1024 }' "$work/costs"
}

printf '%-44s %7s %5s %6s  %s\n' class 'time s' MiB likely 'selected/revealing by round: with preconditions, without'
row() {
    local class=$1 costs
    shift
    costs=$(costs "$cupping" infer "$class" --axiomatic --story "$@")
    awk -v class="${class#org.apache.commons.}" -v costs="$costs" '
        /^round / {
            n = split($0, part, /[;:] */)
            match(part[2], /[0-9]+/); likely = substr(part[2], RSTART, RLENGTH)
            gsub(/[^0-9,]+/, " ", part[3])
            split(part[3], side, ",")
            split(side[1], w, " "); split(side[2], o, " ")
            rounds = rounds sprintf(" %d/%d %d/%d;", w[1], w[2], o[1], o[2])
        }
        /^fixed point/ { fixed = " fixed point" }
        END {
            split(costs, cost, " ")
            printf "%-44s %7s %5s %6s %s%s\n", class, cost[1], cost[2], likely, rounds, fixed
        }
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

for name in map.LinkedMap map.LRUMap ArrayStack list.TreeList queue.CircularFifoQueue bag.HashBag bag.TreeBag bidimap.DualHashBidiMap \
    list.CursorableLinkedList list.NodeCachingLinkedList; do
    [[ -f /usr/share/java/commons-collections4.jar ]] || break
    row "org.apache.commons.collections4.$name" -cp /usr/share/java/commons-collections4.jar
done

# Beside Daikon 5.8.25 on its own example of StackAr with its tester, four runs on a machine of this kind (quoted; Daikon is not
# installed here, so the traces are not the same): ours are of all calls on small stacks, 5000 of them.
printf '\n%-28s %10s %10s\n' '' 'traces s' 'inference s'
for name in StackAr QueueAr; do
    run=("$cupping" infer -cp "$work/classes" "subjects.$name" --budget 0s --paths 0 --rounds 0 --executions 5000)
    # Without inference there are traces only.
    read -r traces _ < <(costs "${run[@]}" --algebraic)
    read -r both _ < <(costs "${run[@]}" --axiomatic)
    printf '%-28s %10s %10s\n' "$name" "$traces" "$(awk -v a="$traces" -v b="$both" 'BEGIN { printf "%.3f", b - a }')"
done
printf '%-28s %10s %10s\n' 'Daikon 5.8.25, StackAr' '0.99-1.15' '2.37-2.47'
cat fixtures/infer/daikon/figures.txt

# Classes whose truths were written by hand before the first run: lines, those that an opponent's calls refute, truths
# that are found and missed.
echo
"$(dirname "$cupping")/examples/bench_truths"
