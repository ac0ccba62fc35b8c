#!/usr/bin/env bash
# ./x bench human: what the suites of commons-codec, -collections4 and -lang3, written by people, cover of their libraries,
# beside what Cupping's tests cover, both run on the JDK under JaCoCo, class by class; and where ours cover less, why.
#
#   scripts/human.sh CUPPING [--budget TIME] [--sample N] [SUITE...]
#
# --budget: the time for each class, 10s unless told. --sample: every Nth class only, for a quick run. A row is a class
# with its nested ones; each side is measured by all of its tests, in one JVM. Fails if the mean branch coverage is below 80 % of
# that of the people's suites. All it makes is in target/human, but for the measures of the people's suites, which are kept
# beside the suites (scripts/suites.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

[ $# -ge 1 ] || die "usage: scripts/human.sh CUPPING [--budget TIME] [--sample N] [SUITE...]"
cupping=$1
shift
budget=10s sample=1
while [ $# -gt 0 ]; do
    case $1 in
        --budget) budget=$2 && shift 2 ;;
        --sample) sample=$2 && shift 2 ;;
        *) break ;;
    esac
done
[ $# -gt 0 ] || set -- commons-codec commons-collections4 commons-lang3

cache=${CUPPING_SUITES_DIR:-$HOME/.cache/cupping-suites}
jdk=${CUPPING_SUITES_JDK:-/usr/lib/jvm/java-17-openjdk-amd64}
jars=/usr/share/java
work=$PWD/target/human
need jq jq
scripts/suites.sh prepare
junit=$(printf "$jars/%s.jar:" junit4 hamcrest junit-jupiter-api junit-jupiter-params junit-platform-commons \
    junit-platform-engine junit-platform-launcher junit-jupiter-engine junit-vintage-engine opentest4j apiguardian-api)
# What the suites are tested against, beside JUnit.
beside=$(printf "$jars/%s.jar:" univocity-parsers easymock objenesis byte-buddy commons-io jsr305 commons-lang3)
mkdir -p "$work/tools"
(cd "$work/tools" && "$jdk/bin/jar" xf $jars/org.jacoco.agent.jar jacocoagent.jar)
jacoco=$(printf "$jars/%s.jar:" org.jacoco.core asm asm-commons asm-tree)$work/tools/jacocoagent.jar
"$jdk/bin/javac" -nowarn -cp "$junit:$jacoco" -d "$work/tools" scripts/java/Cover.java

# package SUITE: the package of its classes.
package() {
    echo "org.apache.commons.${1#commons-}"
}

# cover SUITE CLASSPATH NAMES OUT: what the tests of these names cover of the suite's library.
cover() {
    local suite=$1 opens=() package
    for package in java.lang java.lang.reflect java.util; do
        opens+=(--add-opens "java.base/$package=ALL-UNNAMED")
    done
    (cd "$cache/$suite/source" && timeout 3600 "$jdk/bin/java" -ea -Duser.timezone=UTC "${opens[@]}" \
        "-javaagent:$work/tools/jacocoagent.jar=output=none,includes=$(package "$suite").*" \
        -cp "$2:$junit$jacoco:$work/tools" Cover "$jars/$suite.jar" "$3" "$4" </dev/null >"$4.log" 2>&1) ||
        die "$suite: the tests cannot be measured: see $4.log"
}

# people SUITE: measures the suite that people wrote, once.
people() {
    local suite=$1 kept
    kept=$cache/$suite/people-$(cksum <scripts/java/Cover.java | cut -d' ' -f1)
    if ! [ -s "$kept" ]; then
        say "$suite: measuring the people's suite"
        cover "$suite" "$cache/runner:$cache/pioneer:$cache/$suite/classes:src/test/resources:$jars/$suite.jar:$beside" \
            "$cache/$suite/names" "$kept.part"
        mv "$kept.part" "$kept"
    fi
    cp "$kept" "$work/$suite.people"
}

# chosen SUITE: every Nth class with its nested ones, those with code.
chosen() {
    awk -F '\t' -v sample="$sample" '
        $1 == "class" && $4 > 0 {
            top = $2
            sub(/\$.*/, "", top)
            if (!(top in number)) number[top] = count++
            if (number[top] % sample == int(sample / 2) && $2 !~ /\$[0-9]/) print $2
        }' "$work/$1.people"
}

# ours SUITE: generates and measures.
ours() {
    local suite=$1 at=$work/$1 selectors started=$SECONDS code=0
    rm -rf "$at-tests" "$at-compiled"
    mkdir -p "$at-compiled"
    # Each class by its name: of a package the budget would be that of all its classes together.
    mapfile -t selectors < <(chosen "$suite")
    say "$suite: cupping generate --budget $budget, ${#selectors[@]} classes"
    "$cupping" generate --jdk "$jdk" --classpath "$jars/$suite.jar" --out "$at-tests" --json "$at.json" --budget "$budget" \
        --stats --jobs "${CUPPING_HUMAN_JOBS:-$(nproc)}" "${selectors[@]}" >"$at.said" 2>&1 || code=$?
    [ "$code" -le 3 ] || die "$suite: cupping generate ended with $code: see $at.said"
    echo $((SECONDS - started)) >"$at.seconds"
    find "$at-tests" -name '*.java' | LC_ALL=C sort >"$at.files"
    "$jdk/bin/javac" -encoding UTF-8 -nowarn -Xlint:none -cp "$junit:$jars/$suite.jar" -d "$at-compiled" \
        "@$at.files"
    sed "s,^$at-tests/,,; s,\.java\$,,; s,/,.,g" "$at.files" >"$at.names"
    cover "$suite" "$at-compiled:$jars/$suite.jar" "$at.names" "$at.ours"
}

for suite in "$@"; do
    people "$suite"
    ours "$suite"
    # Of each method that is not covered: what kept the search from it.
    jq -r '.results.classes[] | .class as $class | (.error // "") as $error
        | (if $error != "" then ["error", $class, ($error | gsub("[\\t\\n]"; " "))] else empty end | @tsv),
          ((.unreached // [])[] | ["cause", .class, .name, .descriptor, .cause, .detail] | @tsv),
          (["made", $class, (.tests | length), (.failing | length), .time_ms] | @tsv)' "$work/$suite.json" >"$work/$suite.causes"
done

# shellcheck disable=SC2046 # One word for each file.
awk -F '\t' -v budget="$budget" -v sample="$sample" -f scripts/human.awk \
    $(for suite in "$@"; do echo "$work/$suite.people" "$work/$suite.ours" "$work/$suite.causes"; done)
