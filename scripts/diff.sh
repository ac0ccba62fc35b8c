#!/usr/bin/env bash
# ./x bench diff: mutants of commons-codec as new versions. Of those that the library's own suite kills, how many does
# `cupping diff` tell apart from the original?
#
#   scripts/diff.sh CUPPING WRITE_MUTANTS [--budget TIME] [--sample N]
#
# --budget: the time for each mutant, 10s unless told. --sample: the mutants that are compared at most, 100 unless told;
# the suite judges twice as many, of which those that it kills are taken. All it makes is in target/diff.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

[ $# -ge 2 ] || die "usage: scripts/diff.sh CUPPING WRITE_MUTANTS [--budget TIME] [--sample N]"
cupping=$1 write_mutants=$2
shift 2
budget=10s sample=100
while [ $# -gt 0 ]; do
    case $1 in
        --budget) budget=$2 && shift 2 ;;
        --sample) sample=$2 && shift 2 ;;
        *) die "no option of scripts/diff.sh: $1" ;;
    esac
done

suite=commons-codec package=org.apache.commons.codec
cache=${CUPPING_SUITES_DIR:-$HOME/.cache/cupping-suites}
jdk=${CUPPING_SUITES_JDK:-/usr/lib/jvm/java-17-openjdk-amd64}
jars=/usr/share/java
work=$PWD/target/diff
scripts/suites.sh prepare
junit=$(printf "$jars/%s.jar:" junit4 hamcrest junit-jupiter-api junit-jupiter-params junit-platform-commons \
    junit-platform-engine junit-platform-launcher junit-jupiter-engine junit-vintage-engine opentest4j apiguardian-api \
    commons-lang3 commons-io)
junit=${junit%:}
export JAVA_HOME=$jdk

rm -rf "$work"
mkdir -p "$work/mutants"
ln -s "$cache/$suite/classes" "$work/theirs"
say "cupping mutants --sample $((2 * sample))"
(cd "$work" && "$cupping" mutants --jdk "$jdk" --classpath "$jars/$suite.jar:$cache/pioneer:$junit" --suite theirs \
    --sample "$((2 * sample))" --json "$work/mutants.json" "$package.**" >"$work/said")
"$write_mutants" "$jars/$suite.jar" "$work/mutants.json" 0 "$sample" "$work/mutants" >"$work/list"
mkdir "$work/original"
(cd "$work/original" && "$jdk/bin/jar" xf "$jars/$suite.jar")

# Compares the library with a mutant's class with the original: prints the mutant's number, `differs`, `unknown` or
# `error`, the milliseconds and the class.
compare() {
    local number=$1 class=$2 started code=0
    local name=${class//\//.} file
    file=$work/mutants/$number
    # A copy of the library shares its files.
    cp -al "$work/original" "$file.new"
    rm "$file.new/$class.class"
    cp "$file/$class.class" "$file.new/$class.class"
    started=$(date +%s%3N)
    timeout 120 "$cupping" diff --jdk "$jdk" --no-confirm --quiet --budget "$budget" --jobs 1 \
        --json "$file.json" "$work/original" "$file.new" >"$file.said" 2>&1 || code=$?
    local verdict=unknown
    if [ "$code" = 1 ]; then verdict=differs; elif [ "$code" != 0 ]; then verdict=error; fi
    echo "$number $verdict $(($(date +%s%3N) - started)) $name"
}
export -f compare
export work jdk cupping budget
say "cupping diff --budget $budget, $(wc -l <"$work/list") mutants"
cut -f 1,2 "$work/list" | xargs -P "$(nproc)" -L 1 bash -c 'compare "$@"' _ >"$work/results"

sort -n "$work/results" >"$work/sorted"
echo "## $(date +%F) diff: mutants of $suite as versions, $budget each, $(uname -m), $(nproc) cores"
echo
echo "| mutants that the library's suite kills | told apart | share | median ms | longest ms |"
echo "|---|---|---|---|---|"
awk '{ all++; if ($2 == "differs") found++; print $3 > times }
    END { printf "| %d | %d | %.1f %% | ", all, found, 100 * found / all }' times="$work/times" "$work/sorted"
sort -n "$work/times" | awk '{ t[NR] = $1 } END { printf "%d | %d |\n", t[int((NR + 1) / 2)], t[NR] }'
echo
echo "Not told apart, by class:"
echo
awk '$2 != "differs" { print $4 " (" $2 ")" }' "$work/sorted" | sort | uniq -c | sort -rn | head -20
