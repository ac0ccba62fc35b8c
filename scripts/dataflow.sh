#!/usr/bin/env bash
# The figures of `./x bench dataflow`: for each class listed in CUPPING_BENCH_CLASSES the pairs, how they ended, and the
# time; behind them what the search of `cupping generate` alone exercises in 10 s and, with CUPPING_BENCH_SUITE (a class
# path of compiled test classes), what these do.
#
#   scripts/dataflow.sh CUPPING [CLASS...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cupping=$1
shift
jars=/usr/share/java/commons-lang3.jar:/usr/share/java/commons-collections4.jar
budget=${CUPPING_BENCH_BUDGET:-10s}

# figures TEXT: pairs, covered, infeasible, inconclusive of the last line that counts them.
figures() {
    sed -n 's/^\([0-9]*\) pairs: \([0-9]*\) covered, \([0-9]*\) infeasible, \([0-9]*\) inconclusive$/\1 \2 \3 \4/p' <<<"$1" | tail -n 1
}

echo "| class | kind | pairs | covered | infeasible | inconclusive | decided | seconds | by search alone | by the suite |"
echo "|---|---|---|---|---|---|---|---|---|---|"
declare -A pairs_of decided_of
while read -r kind class; do
    case $kind in '' | '#'*) continue ;; esac
    if [ $# -gt 0 ] && [[ " $* " != *" $class "* ]]; then
        continue
    fi
    start=$(date +%s.%N)
    suite=()
    [ -n "${CUPPING_BENCH_SUITE:-}" ] && suite=(--suite "$CUPPING_BENCH_SUITE")
    text=$("$cupping" dataflow -cp "$jars" --budget "$budget" "${suite[@]}" "$class" 2>/dev/null || true)
    seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
    read -r pairs covered infeasible open <<<"$(figures "$text")" || true
    if [ -z "${pairs:-}" ]; then
        echo "| $class | $kind | failed | | | | | $seconds | | |"
        continue
    fi
    alone=$("$cupping" dataflow -cp "$jars" --depth 0 --budget 10s "$class" 2>/dev/null || true)
    read -r _ by_search _ _ <<<"$(figures "$alone")" || true
    by_suite=$(sed -n 's/^the suite exercises \([0-9]*\) of .*/\1/p' <<<"$text")
    decided=$((covered + infeasible))
    share=$([ "$pairs" -gt 0 ] && echo "$((100 * decided / pairs)) %" || echo "")
    echo "| $class | $kind | $pairs | $covered | $infeasible | $open | $share | $seconds | ${by_search:-} | ${by_suite:-} |"
    for group in "$kind" all; do
        pairs_of[$group]=$((${pairs_of[$group]:-0} + pairs))
        decided_of[$group]=$((${decided_of[$group]:-0} + decided))
    done
    pairs=
done <"${CUPPING_BENCH_CLASSES:-fixtures/bench/dataflow-classes}"
echo
for group in scalar object all; do
    if [ "${pairs_of[$group]:-0}" -gt 0 ]; then
        echo "$group: ${decided_of[$group]} of ${pairs_of[$group]} pairs decided ($((100 * decided_of[$group] / pairs_of[$group])) %)"
    fi
done
