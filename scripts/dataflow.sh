#!/usr/bin/env bash
# The figures of `./x bench dataflow`: for each class listed in CUPPING_BENCH_CLASSES the pairs, how they ended, and the
# time; behind them what the search of `cupping generate` alone exercises in 10 s, and what the test that people wrote of
# the class does (folders of compiled tests: CUPPING_BENCH_SUITE, else those of scripts/suites.sh). Last, what is open by
# cause, and how many classes took more than 1.25 times the budget (CUPPING_BENCH_BUDGET). CUPPING_BENCH_QUICK=1 leaves out
# the search alone.
#
#   scripts/dataflow.sh CUPPING [CLASS...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cupping=$1
shift
# Libraries of Debian; a class whose library is missing is a row that says "failed".
jars=
for jar in commons-lang3 commons-collections4 commons-cli commons-csv joda-time commons-math3 jgrapht0.8; do
    [ ! -e "/usr/share/java/$jar.jar" ] || jars=$jars:/usr/share/java/$jar.jar
done
jars=${jars#:}
budget=${CUPPING_BENCH_BUDGET:-10s}
cache=${CUPPING_SUITES_DIR:-$HOME/.cache/cupping-suites}
limit=${CUPPING_BENCH_LIMIT:-300}

# figures TEXT: pairs, covered, infeasible, inconclusive and covered after an exception of the last line that counts them.
figures() {
    local after='(([0-9]+) covered after an exception, )?'
    sed -nE "s/^([0-9]+) pairs: ([0-9]+) covered, $after([0-9]+) infeasible, ([0-9]+) inconclusive$/\\1 \\2 \\5 \\6 \\4/p" <<<"$1" |
        tail -n 1
}

echo "| class | kind | pairs | covered | infeasible | inconclusive | decided | seconds | by search alone | by the suite |"
echo "|---|---|---|---|---|---|---|---|---|---|"
declare -A pairs_of decided_of open_of
over=0
# causes TEXT: the reasons of inconclusive pairs, without what differs from class to class.
causes() {
    sed -n 's/^ *[0-9]* .*  inconclusive: //p' <<<"$1" | sed 's/ (.*//; s/[0-9][0-9]*/N/g'
}
while read -r kind class; do
    case $kind in '' | '#'*) continue ;; esac
    if [ $# -gt 0 ] && [[ " $* " != *" $class "* ]]; then
        continue
    fi
    start=$(date +%s.%N)
    # The people's own test of the class, where scripts/suites.sh has compiled it.
    suite=()
    for folder in ${CUPPING_BENCH_SUITE:-$cache/commons-lang3/classes $cache/commons-collections4/classes}; do
        if [ -e "$folder/${class//.//}Test.class" ]; then
            suite=(--suite "$folder" --suite-test "${class}Test")
        fi
    done
    text=$(timeout "$limit" "$cupping" dataflow -cp "$jars" --budget "$budget" "${suite[@]}" "$class" 2>/dev/null || true)
    seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
    read -r pairs covered infeasible open after <<<"$(figures "$text")" || true
    if [ -z "${pairs:-}" ]; then
        echo "| $class | $kind | failed | | | | | $seconds | | |"
        continue
    fi
    covered=$((covered + ${after:-0}))
    alone=
    if [ -z "${CUPPING_BENCH_QUICK:-}" ]; then
        alone=$(timeout "$limit" "$cupping" dataflow -cp "$jars" --depth 0 --budget 10s "$class" 2>/dev/null || true)
    fi
    # What is combined of its runs is not the search's.
    by_search=$(grep -c ' covered, by search: ' <<<"$alone" || true)
    by_suite=$(sed -n 's/^the suite exercises \([0-9]*\) of .*/\1/p' <<<"$text")
    decided=$((covered + infeasible))
    share=$([ "$pairs" -gt 0 ] && echo "$((100 * decided / pairs)) %" || echo "")
    echo "| $class | $kind | $pairs | $covered | $infeasible | $open | $share | $seconds | ${by_search:-} | ${by_suite:-} |"
    while IFS= read -r cause; do
        [ -z "$cause" ] || open_of[$cause]=$((${open_of[$cause]:-0} + 1))
    done < <(causes "$text")
    if awk -v s="$seconds" -v b="${budget%s}" 'BEGIN { exit !(s > 1.25 * b) }'; then
        over=$((over + 1))
    fi
    for group in "$kind" all; do
        pairs_of[$group]=$((${pairs_of[$group]:-0} + pairs))
        decided_of[$group]=$((${decided_of[$group]:-0} + decided))
    done
    pairs=
done <"${CUPPING_BENCH_CLASSES:-fixtures/bench/dataflow-classes}"
echo
for group in scalar object library all; do
    if [ "${pairs_of[$group]:-0}" -gt 0 ]; then
        echo "$group: ${decided_of[$group]} of ${pairs_of[$group]} pairs decided ($((100 * decided_of[$group] / pairs_of[$group])) %)"
    fi
done
echo
echo "What is open, by cause:"
for cause in "${!open_of[@]}"; do
    echo "${open_of[$cause]} $cause"
done | sort -rn
echo
echo "$over classes took more than 1.25 times the budget of $budget, with the start of the JDK on the machine"
