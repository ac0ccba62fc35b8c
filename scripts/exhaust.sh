#!/usr/bin/env bash
# exhaust.sh CUPPING [SECONDS [METHODS]]: structures within a scope, counted from relations and by predicates in Java
# (fixtures/exhaust), beside Kodkod's and Korat's times; with SECONDS instead the methods of the JDK's collections, each at the largest
# scope that is done within so many seconds, as many at a time as there are processors; METHODS is a regular expression for those whose
# `method` lines fit. Prints tables.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cupping=$1
seconds=${2:-}
wanted=${3:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
javac -g --release 11 -nowarn -Xlint:none -d "$work/classes" \
    fixtures/exhaust/structures/*.java fixtures/exhaust/jdk/*.java fixtures/exhaust/*.java

# row NAME OTHER WANTED ARGUMENTS: OTHER is the time of Kodkod (tuned, MiniSat) or Korat, "-" where there is none; WANTED is
# the number of structures that these found, "-" if they count others.
row() {
    local name=$1 other=$2 wanted=$3
    shift 3
    local begin end out took found note=""
    begin=$(date +%s.%N)
    out=$(timeout 120 "$cupping" exhaust "$@" --count --classpath "$work/classes" --quiet 2>&1 | tail -n 1) || out=": (not within 120 s)"
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

# table HEADING OTHER: a table from lines `: NAME | ARGUMENT | …`, with @ for the size, @+ and @- for its neighbours, each with
# lines `SIZE TIME NUMBER` below it.
table() {
    printf '%-32s %-46s %10s %10s %8s\n' "$1" "" "Cupping" "$2" "ratio"
    local line name size other number argument
    local -a parts arguments
    while read -r line; do
        if [[ $line == ": "* ]]; then
            IFS='|' read -ra parts <<< "${line#: }"
            name=${parts[0]% }
            continue
        fi
        read -r size other number <<< "$line"
        arguments=()
        for argument in "${parts[@]:1}"; do
            argument=${argument# }
            argument=${argument% }
            argument=${argument//@+/$((size + 1))}
            argument=${argument//@-/$((size - 1))}
            arguments+=("${argument//@/$size}")
        done
        row "$name, $size" "$other" "$number" "${arguments[@]}"
    done
    echo
}

structures() {
    # By relations the specification has an integer beside the tree, so there are as many inputs as trees times integers.
    table "from relations" Kodkod <<'ROWS'
: red-black trees | fixtures/exhaust/treemap.spec | --scope | exactly @ Entry, 1..@ int
5 0.17 70
7 0.33 245
8 0.58 512
9 2.3 1098
10 12.9 2600
11 - 6446
12 - 15552
: lists of 3 values | fixtures/exhaust/list.spec | --scope | exactly @ Node, 0..2 int
5 0.14 243
7 0.23 2187
8 0.40 6561
9 1.1 19683
10 2.7 59049
ROWS
    table "from predicates in Java" Korat <<'ROWS'
: binary-trees | --repok | Trees.repOk | --scope | Node=@,size=@
8 0.60 1430
10 0.61 16796
12 4.1 208012
: search-trees | --repok | Trees$Search.repOk | --scope | Node=@,size=@,key=1..@
7 0.37 429
8 1.13 1430
9 6.5 4862
10 49.2 16796
: red-black-trees | --repok | Structures$RedBlack.repOk | --scope | Node=@,size=@,key=1..@
8 0.61 64
9 1.35 122
10 5.0 260
11 25.2 586
: lists, anonymous elements | --repok | Trees$Chain.repOk | --scope | Entry=@+,Object=@,size=@
8 0.25 4140
10 0.76 115975
11 3.1 678570
: doubly linked lists (+ null) | --repok | Structures$Doubly.repOk | --scope | Entry=@+,Object=@,size=@
8 0.23 -
10 0.69 -
: sorted lists | --repok | Structures$Sorted.repOk | --scope | Cell=@,size=@,value=1..@
8 0.53 6435
10 1.37 92378
11 1.85 352716
12 6.7 1352078
: heaps in arrays (up to) | --repok | Trees$Heap.repOk | --scope | intArray=1,length=0..@,at=-1..@,size=0..@
6 0.47 13139
7 0.58 117562
8 1.17 1005075
: binomial heaps (up to) | --repok | Structures$Binomial.repOk | --scope | Node=@,size=0..@,degree=0..3,key=0..@-
6 0.28 7602
7 0.44 107416
8 0.92 603744
9 6.6 8746120
ROWS
}

# part FILE NUMBER: a part as a specification of its own; a scope of its own replaces the shared one.
part() {
    awk -v part="$2" '
        /^--- / { at++; if (at == part) text = text substr($0, 5) "\n"; next }
        /^faults / { next }
        at == 0 && /^scope / { shared = $0; next }
        at == 0 { print; next }
        at == part { if (/^scope /) own = $0; else text = text $0 "\n" }
        END { print (own ? own : shared); printf "%s", text }' "$1"
}

# grown N: the scope, and what preconditions say of arrays, for a size.
grown() {
    sed -E -e "s/^scope [0-9]+ (Entry|Node), 0\.\.[0-9]+ int/scope $1 \1, 0..$1 int/" \
        -e "s/^scope exactly 1 IntegerArray, 0\.\.[0-9]+ int/scope exactly 1 IntegerArray, 0..$1 int/" \
        -e "s/^scope [0-9]+ Node, 1 NodeArray, 0\.\.[0-9]+ int/scope $1 Node, 1 NodeArray, 0..$(($1 > 3 ? $1 : 3)) int/" \
        -e "s/n\.key < [0-9]+/n.key < $1/" \
        -e "s/(queue|elements)\.length = [0-9]+$/\1.length = $1/"
}

# method FILE NUMBER PLACE: the row of a method; a scope that, by the growth so far, would take longer than what is left is not begun.
method() {
    local place=$3 left=$seconds reached="none" inputs="-" verdict="" before=0 took=0 n begin out
    part "$1" "$2" > "$place.spec"
    for n in 2 3 4 5 6 7 8 9 10 11 12 13 14; do
        [ "$(echo "$before > 0.2 && $took * $took / $before > $left" | bc)" = 0 ] || break
        grown "$n" < "$place.spec" > "$place.grown.spec"
        begin=$(date +%s.%N)
        out=$(timeout "$left" "$cupping" exhaust "$place.grown.spec" --classpath "$work/classes" 2>&1 | grep -m 1 ' inputs, ') || break
        before=$took
        took=$(echo "$(date +%s.%N) - $begin" | bc)
        left=$(echo "$left - $took" | bc)
        reached=$(grep -m 1 '^scope' "$place.grown.spec")
        inputs=${out##*: }
        verdict=$([[ $out == *counterexample* ]] && echo "FAILS" || echo "all pass")
        [ "$(echo "$left > 0" | bc)" = 1 ] || break
    done
    printf '%-66s %-40s %-28s %s\n' "$(basename "$1" .spec): $(grep -m 1 '^method' "$place.spec" | cut -d' ' -f2-)" \
        "${reached#scope }" "${inputs%%,*}" "$verdict"
}

methods() {
    local file number at=0 shown=0
    printf '%-66s %-40s %s\n' "methods, $seconds s each" "largest scope" "inputs"
    for file in fixtures/exhaust/jdk/*.spec; do
        # shellcheck disable=SC2013 # Numbers are words.
        for number in $(grep '^--- ' "$file" | grep -nE -- "$wanted" | cut -d: -f1); do
            while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
            at=$((at + 1))
            { method "$file" "$number" "$work/$at" > "$work/$at.row" && touch "$work/$at.done"; } &
            # In order, whichever ends first.
            while [ -e "$work/$((shown + 1)).done" ]; do
                shown=$((shown + 1))
                cat "$work/$shown.row"
            done
        done
    done
    wait
    while [ "$shown" -lt "$at" ]; do
        shown=$((shown + 1))
        cat "$work/$shown.row"
    done
}

if [ -n "$seconds" ]; then methods; else structures; fi
