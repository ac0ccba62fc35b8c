#!/usr/bin/env bash
# ./x bench mutants: how many small faults in the classes of commons-codec its own suite, written by people, notices, and how
# many Cupping's tests do. Both are run on the machine, mutant by mutant (docs/mutants.md).
#
#   scripts/mutants.sh CUPPING [--budget TIME] [--sample N]
#
# --budget: the time for each class when tests are generated, 10s unless told. --sample: mutants that are judged, 500 unless
# told. All it makes is in target/mutants.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

[ $# -ge 1 ] || die "usage: scripts/mutants.sh CUPPING [--budget TIME] [--sample N]"
cupping=$1
shift
budget=10s sample=500
while [ $# -gt 0 ]; do
    case $1 in
        --budget) budget=$2 && shift 2 ;;
        --sample) sample=$2 && shift 2 ;;
        *) die "no option of scripts/mutants.sh: $1" ;;
    esac
done

suite=commons-codec package=org.apache.commons.codec
cache=${CUPPING_SUITES_DIR:-$HOME/.cache/cupping-suites}
jdk=${CUPPING_SUITES_JDK:-/usr/lib/jvm/java-17-openjdk-amd64}
jars=/usr/share/java
work=$PWD/target/mutants
scripts/suites.sh prepare
junit=$(printf "$jars/%s.jar:" junit4 hamcrest junit-jupiter-api junit-jupiter-params junit-platform-commons \
    junit-platform-engine junit-platform-launcher junit-jupiter-engine junit-vintage-engine opentest4j apiguardian-api \
    commons-lang3 commons-io)
junit=${junit%:}

rm -rf "$work"
mkdir -p "$work/ours"
mapfile -t classes < <("$jdk/bin/jar" tf "$jars/$suite.jar" | grep "^${package//.//}/.*\.class$" | grep -v '\$[0-9]' |
    sed 's,\.class$,,; s,/,.,g' | LC_ALL=C sort)
say "cupping generate --budget $budget, ${#classes[@]} classes"
code=0
"$cupping" generate --jdk "$jdk" --classpath "$jars/$suite.jar" --out "$work/tests" --budget "$budget" --quiet \
    --jobs "$(nproc)" "${classes[@]}" >"$work/said" 2>&1 || code=$?
# Of the classes that are named, private ones and interfaces are refused.
[ "$code" -le 3 ] || die "cupping generate ended with $code: see $work/said"
find "$work/tests" -name '*.java' | LC_ALL=C sort >"$work/files"
"$jdk/bin/javac" -encoding UTF-8 -nowarn -Xlint:none -cp "$junit:$jars/$suite.jar" -d "$work/ours" "@$work/files"
ln -s "$cache/$suite/classes" "$work/theirs"
say "cupping mutants --sample $sample"
cd "$work"
"$cupping" mutants --jdk "$jdk" --classpath "$jars/$suite.jar:$cache/pioneer:$junit" --suite theirs --suite ours \
    --sample "$sample" --json "$work/mutants.json" "$package.**"
