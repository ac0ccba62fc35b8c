#!/usr/bin/env bash
# exhaust.sh CUPPING: structures within a scope, counted from relations and by predicates in Java (fixtures/exhaust). Prints
# a table.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cupping=$1
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -g --release 11 -nowarn -Xlint:none -d "$classes" fixtures/exhaust/structures/*.java fixtures/exhaust/*.java

row() {
    local name=$1
    shift
    local begin end out
    begin=$(date +%s.%N)
    out=$(timeout 120 "$cupping" exhaust "$@" --count --classpath "$classes" --quiet 2>&1 | tail -n 1) || out="(not within 120 s)"
    end=$(date +%s.%N)
    printf '%-34s %-60s %6.2f s\n' "$name" "${out#*: }" "$(echo "$end - $begin" | bc)"
}

for nodes in 5 7 9 10; do
    row "red-black trees, relations, $nodes" fixtures/exhaust/treemap.spec --scope "exactly $nodes Entry, 1..$nodes int"
done
for nodes in 7 9 10; do
    row "lists, relations, $nodes" fixtures/exhaust/list.spec --scope "exactly $nodes Node, 0..2 int"
done
for nodes in 8 10; do
    row "binary trees, repOk, $nodes" --repok Trees.repOk --scope "Node=$nodes,size=$nodes"
done
for nodes in 5 6 7; do
    row "search trees, repOk, $nodes" --repok 'Trees$Search.repOk' --scope "Node=$nodes,size=$nodes,key=1..$nodes"
done
for size in 6 7; do
    row "heaps, repOk, $size" --repok 'Trees$Heap.repOk' --scope "intArray=1,length=$size,at=-1..$size,size=0..$size"
done
for size in 6 8; do
    row "lists of anonymous elements, repOk, $size" \
        --repok 'Trees$Chain.repOk' --scope "Entry=$((size + 1)),Object=$size,size=$size"
done
