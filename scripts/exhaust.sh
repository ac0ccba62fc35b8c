#!/usr/bin/env bash
# exhaust.sh CUPPING [SECONDS]: structures within a scope, counted from relations and by predicates in Java (fixtures/exhaust),
# beside Kodkod's and Korat's times; with SECONDS instead the methods of the JDK's collections, each at the largest scope that
# is done within so many seconds. Prints tables.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cupping=$1
seconds=${2:-}
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -g --release 11 -nowarn -Xlint:none -d "$classes" fixtures/exhaust/structures/*.java fixtures/exhaust/*.java

# row NAME OTHER WANTED ARGUMENTS: OTHER is the time of Kodkod (tuned, MiniSat) or Korat, "-" where there is none; WANTED is
# the number of structures that these found, "-" if they count others.
row() {
    local name=$1 other=$2 wanted=$3
    shift 3
    local begin end out took found note=""
    begin=$(date +%s.%N)
    out=$(timeout 120 "$cupping" exhaust "$@" --count --classpath "$classes" --quiet 2>&1 | tail -n 1) || out=": (not within 120 s)"
    end=$(date +%s.%N)
    took=$(echo "$end - $begin" | bc)
    out=${out#*: }
    found=${out%% *}
    [ "$wanted" = - ] || [ "$found" = "$wanted" ] || note="instead of $wanted"
    if [ "$other" = - ] || [[ $out == "("* ]]; then
        printf '%-32s %-46s %8.2f s %10s %8s %s\n' "$name" "$out" "$took" "" "" "$note"
    else
        printf '%-32s %-46s %8.2f s %8s s %8.2f %s\n' "$name" "$out" "$took" "$other" "$(echo "scale=4; $other / $took" | bc)" "$note"
    fi
}

structures() {
# By relations the specification has an integer beside the tree, so there are as many inputs as trees times integers.
printf '%-32s %-46s %10s %10s %8s\n' "from relations" "" "Cupping" "Kodkod" "ratio"
while read -r nodes other trees; do
    row "red-black trees, $nodes" "$other" $((trees * nodes)) fixtures/exhaust/treemap.spec --scope "exactly $nodes Entry, 1..$nodes int"
done <<'ROWS'
5 0.17 14
7 0.33 35
8 0.58 64
9 2.3 122
10 12.9 260
11 - 586
12 - 1296
ROWS
while read -r nodes other lists; do
    row "lists of 3 values, $nodes" "$other" "$lists" fixtures/exhaust/list.spec --scope "exactly $nodes Node, 0..2 int"
done <<'ROWS'
5 0.14 243
7 0.23 2187
8 0.40 6561
9 1.1 19683
10 2.7 59049
ROWS

printf '\n%-32s %-46s %10s %10s %8s\n' "from predicates in Java" "" "Cupping" "Korat" "ratio"
while read -r name predicate size other valid scope; do
    row "$name, $size" "$other" "$valid" --repok "$predicate" --scope "${scope//@/$size}"
done <<'ROWS'
binary-trees Trees.repOk 8 0.60 1430 Node=@,size=@
binary-trees Trees.repOk 10 0.61 16796 Node=@,size=@
binary-trees Trees.repOk 12 4.1 208012 Node=@,size=@
search-trees Trees$Search.repOk 7 0.37 429 Node=@,size=@,key=1..@
search-trees Trees$Search.repOk 8 1.13 1430 Node=@,size=@,key=1..@
search-trees Trees$Search.repOk 9 6.5 4862 Node=@,size=@,key=1..@
search-trees Trees$Search.repOk 10 49.2 16796 Node=@,size=@,key=1..@
red-black-trees Structures$RedBlack.repOk 8 0.61 64 Node=@,size=@,key=1..@
red-black-trees Structures$RedBlack.repOk 9 1.35 122 Node=@,size=@,key=1..@
red-black-trees Structures$RedBlack.repOk 10 5.0 260 Node=@,size=@,key=1..@
red-black-trees Structures$RedBlack.repOk 11 25.2 586 Node=@,size=@,key=1..@
ROWS
while read -r size other valid; do
    row "lists, anonymous elements, $size" "$other" "$valid" \
        --repok 'Trees$Chain.repOk' --scope "Entry=$((size + 1)),Object=$size,size=$size"
done <<'ROWS'
8 0.25 4140
10 0.76 115975
11 3.1 678570
ROWS
while read -r size other; do
    row "doubly linked lists (+ null), $size" "$other" - \
        --repok 'Structures$Doubly.repOk' --scope "Entry=$((size + 1)),Object=$size,size=$size"
done <<'ROWS'
8 0.23
10 0.69
ROWS
while read -r size other valid; do
    row "sorted lists, $size" "$other" "$valid" \
        --repok 'Structures$Sorted.repOk' --scope "Cell=$size,size=$size,value=1..$size"
done <<'ROWS'
8 0.53 6435
10 1.37 92378
11 1.85 352716
12 6.7 1352078
ROWS
while read -r size other valid; do
    row "heaps in arrays, up to $size" "$other" "$valid" \
        --repok 'Trees$Heap.repOk' --scope "intArray=1,length=0..$size,at=-1..$size,size=0..$size"
done <<'ROWS'
6 0.47 13139
7 0.58 117562
8 1.17 1005075
ROWS
while read -r size other valid; do
    row "binomial heaps, up to $size" "$other" "$valid" \
        --repok 'Structures$Binomial.repOk' --scope "Node=$size,size=0..$size,degree=0..3,key=0..$((size - 1))"
done <<'ROWS'
6 0.28 7602
7 0.44 107416
8 0.92 603744
9 6.6 8746120
ROWS
}

methods() {
printf '%-44s %-28s %s\n' "methods, $seconds s each" "largest scope" "inputs"
for file in fixtures/exhaust/jdk/*.spec; do
    parts=$(grep -c '^--- ' "$file")
    for part in $(seq "$parts"); do
        # The invariant, then this part.
        awk -v part="$part" '/^--- /{at++; if (at == part) print substr($0, 5); next} /^faults /{next} at == 0 || at == part' "$file" > "$classes/part.spec"
        left=$seconds reached="none" inputs="-"
        for n in 2 3 4 5 6 7 8 9 10 11 12; do
            # The numbers of scope and precondition grow together.
            sed -E -e "s/^scope [0-9]+ (Entry|Node), 0\.\.[0-9]+ int/scope $n \1, 0..$n int/" \
                -e "s/^scope exactly 1 IntegerArray, 0\.\.[0-9]+ int/scope exactly 1 IntegerArray, 0..$n int/" \
                -e "s/^scope 3 Node, exactly 1 NodeArray, 0\.\.4 int/scope $n Node, exactly 1 NodeArray, 0..$((n + 1)) int/" \
                -e "s/(queue|elements)\.length = 4$/\1.length = $n/" "$classes/part.spec" > "$classes/grown.spec"
            begin=$(date +%s)
            out=$(timeout "$left" "$cupping" exhaust "$classes/grown.spec" --classpath "$classes" 2>&1 | grep -m 1 inputs) || break
            left=$((left - $(date +%s) + begin))
            reached=$(grep -m 1 '^scope' "$classes/grown.spec")
            inputs=${out#*: }
            [ "$left" -gt 0 ] || break
        done
        printf '%-44s %-28s %s\n' "$(grep -m 1 '^class' "$file" | cut -d' ' -f2 | sed 's/.*\.//').$(grep -m 1 '^method' "$classes/part.spec" | cut -d' ' -f3-)" "${reached#scope }" "$inputs"
    done
done
}

if [ -n "$seconds" ]; then methods; else structures; fi
