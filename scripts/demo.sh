#!/usr/bin/env bash
# ./x demo: generates tests for the papers' programs and for classes of commons-lang3, runs them on the JDK under
# JaCoCo, and prints a table. Fails if anything emitted fails. Everything it makes is in target/demo.
#
# CUPPING_DEMO_BUDGET: the time for each class, 10s unless told.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

papers=(papers.BMI papers.Clamp papers.Gcd papers.TemperatureMonitor papers.CoinBox papers.BooleanArray
    papers.Buffer papers.PartialOrderReductionExample)
lang3=(math.Fraction math.NumberUtils CharUtils BooleanUtils StringUtils text.StrBuilder tuple.MutablePair
    mutable.MutableInt BitField CharRange Range ArrayUtils)
lang3=("${lang3[@]/#/org.apache.commons.lang3.}")

need_build
need_java
need jq jq

java_dir=/usr/share/java
junit=$(printf "$java_dir/%s.jar:" junit-jupiter-api junit-jupiter-engine junit-platform-launcher \
    junit-platform-engine junit-platform-commons opentest4j apiguardian-api)
work=$PWD/target/demo
# Of the deprecated classes (text.StrBuilder) and the raw types javac says a lot that is of no use here.
javac="javac --release 11 -encoding UTF-8 -nowarn -Xlint:none"

say "building (release)"
cargo build --release --quiet -p cupping --target-dir target

rm -rf "$work"
mkdir -p "$work/measure"
(cd "$work" && jar xf $java_dir/org.jacoco.agent.jar jacocoagent.jar)
jacoco=$(printf "$java_dir/%s.jar:" org.jacoco.core asm asm-commons asm-tree)$work/jacocoagent.jar
$javac -g -d "$work/papers-classes" fixtures/papers/papers/*.java
javac -nowarn -cp "$junit:$jacoco" -d "$work/measure" scripts/java/Measure.java

# The columns of one class in the report that `cupping generate --json` writes (docs/json-schema.md).
columns='.results.classes[] | [.class, (.tests | length), (.failing | length),
    .coverage.lines.covered, .coverage.lines.total, .coverage.branches.covered, .coverage.branches.total,
    (.divergences | length), .time_ms, .error // ""] | @tsv'

# run NAME CLASSPATH CLASS...: generates, compiles and measures one group; leaves NAME.said and NAME.measured.
run() {
    local name=$1 classpath=$2 code=0
    shift 2
    say "cupping generate --classpath ${classpath#"$PWD/"} ($# classes)"
    target/release/cupping generate --classpath "$classpath" --out "$work/$name-tests" --json "$work/$name.json" \
        --html "$work/$name-pages" \
        --budget "${CUPPING_DEMO_BUDGET:-10s}" --jobs "$(nproc)" "$@" || code=$?
    # 1 is a test that did not hold on the JDK and was dropped, which the table counts; the rest is certified.
    [ "$code" -le 1 ] || failed=1
    jq -r "$columns" "$work/$name.json" >"$work/$name.said"
    say "running the tests on the JDK ($(java -version 2>&1 | head -n 1))"
    mkdir -p "$work/$name-compiled"
    find "$work/$name-tests" -name '*.java' >"$work/$name.sources"
    $javac -cp "$junit:$classpath" -d "$work/$name-compiled" "@$work/$name.sources" || failed=1
    java -ea "-javaagent:$work/jacocoagent.jar=output=none,includes=papers.*:org.apache.commons.lang3.*" \
        -cp "$junit:$jacoco:$work/measure" Measure "$work/$name-compiled:$classpath" "$@" \
        >"$work/$name.measured" || failed=1
}

# Joins what Cupping said with what JaCoCo measured; one row a class.
table() {
    awk -F '\t' '
        function share(covered, total) {
            return total == 0 ? "-" : sprintf("%d/%d %3d%%", covered, total, 100 * covered / total)
        }
        FILENAME ~ /measured$/ {
            measured++
            ran[$1] = $2
            failed[$1] = $3
            lines[$1] = share($4, $5)
            branches[$1] = share($6, $7)
            next
        }
        FNR == 1 && !heading++ {
            form = "%-42s %5s %8s %6s  %-14s %-14s  %-14s %-14s %6s\n"
            printf form, "class", "tests", "failing", "failed", "lines: Cupping", "JaCoCo", "branches: Cup.", "JaCoCo", "time"
            printf form, "", "", "inputs", "on JDK", "", "", "", "", "s"
        }
        {
            name = $1
            sub(/^org\.apache\.commons\.lang3\./, "lang3.", name)
            printf form, name, $2, $3, failed[$1], share($4, $5), lines[$1], share($6, $7), branches[$1], sprintf("%.2f", $9 / 1000)
            tests += $2; failing += $3; dropped += $8; notPassed += failed[$1]
            if (ran[$1] != $2 + $3) {
                printf "  %d tests were emitted for it, JUnit ran %d\n", $2 + $3, ran[$1]
                bad = 1
            }
            if ($10 != "") {
                print "  " $10
                bad = 1
            }
            said++
        }
        END {
            printf "\n%d tests and %d failing inputs emitted, %d failed on the JDK; %d divergences dropped before.\n",
                tests, failing, notPassed, dropped
            if (said != measured || tests == 0) {
                printf "%d classes were asked for, %d reported\n", measured, said
                bad = 1
            }
            exit bad
        }
    ' "$work"/*.measured "$work/papers.said" "$work/lang3.said"
}

started=$SECONDS
failed=0
run papers "$work/papers-classes" "${papers[@]}"
run lang3 $java_dir/commons-lang3.jar "${lang3[@]}"
echo
table || failed=1
say "$((SECONDS - started)) s after the build; the tests are in target/demo/papers-tests and target/demo/lang3-tests"
say "pages to look at: target/demo/papers-pages/index.html and target/demo/lang3-pages/index.html"
[ "$failed" -eq 0 ] || die "not everything asked for was emitted, compiles and passes on the JDK"
