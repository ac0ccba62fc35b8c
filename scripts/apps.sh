#!/usr/bin/env bash
# ./x bench apps: the applications of fixtures/apps: what the suites that a person wrote cover of them, and what Cupping's
# tests do, both run on the JDK under JaCoCo; what fails on `null`; with --mutants N, how many of N mutants each notices.
#
#   scripts/apps.sh CUPPING [--budget TIME] [--mutants N] [--classes] [APP...]
#
# --budget: the time for each class, 5s unless told. --classes: a row for each class too. All it makes is in target/apps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

[ $# -ge 1 ] || die "usage: scripts/apps.sh CUPPING [--budget TIME] [--mutants N] [--classes] [APP...]"
cupping=$1
shift
budget=5s mutants=0 classes=no
while [ $# -gt 0 ]; do
    case $1 in
        --budget) budget=$2 && shift 2 ;;
        --mutants) mutants=$2 && shift 2 ;;
        --classes) classes=yes && shift ;;
        *) break ;;
    esac
done
[ $# -gt 0 ] || set -- boardgame elevator interpreter scheduler shop

jdk=${CUPPING_SUITES_JDK:-/usr/lib/jvm/java-17-openjdk-amd64}
jars=/usr/share/java
work=${CUPPING_APPS_DIR:-$PWD/target/apps}
need jq jq
junit=$(printf "$jars/%s.jar:" junit-jupiter-api junit-jupiter-params junit-jupiter-engine junit-platform-commons \
    junit-platform-engine junit-platform-launcher opentest4j apiguardian-api univocity-parsers)

# noticed APP: of the mutants of an application, how many its suite notices and how many Cupping's tests do.
noticed() {
    local at=$work/$1
    "$cupping" mutants --jdk "$jdk" --classpath "$at/src:$junit" --suite "$at/test" --suite "$at/compiled" \
        --sample "$mutants" --quiet --json "$at/mutants.json" "$at/src" >"$at/mutants.said" 2>&1 ||
        die "$1: its mutants cannot be judged: see $at/mutants.said"
    jq -r '.results.mutants as $all | [range(2) as $suite | [$all[] | select(.ends[$suite] | IN("survived", "not_reached")
        | not)] | length] | @tsv' "$at/mutants.json"
}

printf '%-12s %5s %7s %16s %16s %8s %6s %6s %6s\n' app suite tests lines branches failing null s mutants
for app in "$@"; do
    at=$work/$app
    fixtures/apps/suite.sh --coverage "$app" >"$work-$app.said" 2>&1 || die "$app: see $work-$app.said"
    jacoco=$(printf "$jars/%s.jar:" org.jacoco.core asm asm-commons asm-tree)$at/tools/jacocoagent.jar
    packages=$(cd "$at/src" && find . -name '*.class' -printf '%h\n' | sort -u | sed 's,^\./,,; s,/,.,g; s,$,.*,' | paste -sd :)
    mapfile -t selectors < <(cd "$at/src" && find . -name '*.class' | sed 's,^\./,,; s,\.class$,,; s,/,.,g' |
        grep -v '\$[0-9]' | LC_ALL=C sort)
    started=$SECONDS code=0
    "$cupping" generate --jdk "$jdk" --classpath "$at/src" --out "$at/tests" --json "$at/json" --budget "$budget" \
        --jobs "$(nproc)" "${selectors[@]}" >"$at/said" 2>&1 || code=$?
    [ "$code" -le 3 ] || die "$app: cupping generate ended with $code: see $at/said"
    seconds=$((SECONDS - started))
    mkdir -p "$at/compiled"
    find "$at/tests" -name '*.java' | LC_ALL=C sort >"$at/files"
    "$jdk/bin/javac" -encoding UTF-8 -nowarn -Xlint:none -cp "$at/src:$junit" -d "$at/compiled" "@$at/files" 2>"$at/javac" ||
        die "$app: the tests do not compile: see $at/javac"
    sed "s,^$at/tests/,,; s,\.java\$,,; s,/,.,g" "$at/files" >"$at/own-names"
    "$jdk/bin/java" -ea -Duser.timezone=UTC "-javaagent:$at/tools/jacocoagent.jar=output=none,includes=$packages" \
        -cp "$at/compiled:$at/app.jar:$junit:$jacoco:$at/tools" Cover "$at/app.jar" "$at/own-names" "$at/own-coverage" \
        >"$at/log" 2>&1 || die "$app: the tests cannot be measured: see $at/log"
    theirs=- ours=-
    if [ "$mutants" -gt 0 ]; then
        read -r theirs ours < <(noticed "$app")
    fi
    failing=$(jq '[.results.classes[].failing[]] | length' "$at/json")
    null=$(jq '[.results.classes[].failing[] | select(.thrown.class == "java.lang.NullPointerException")] | length' "$at/json")
    for side in people ours; do
        file=$at/coverage && [ $side = people ] || file=$at/own-coverage
        awk -F '\t' -v app="$app" -v side=$side -v failing="$failing" -v null="$null" -v seconds="$seconds" \
            -v mutants="$([ $side = people ] && echo "$theirs" || echo "$ours")" '
            function share(covered, all) {
                return all == 0 ? "-" : sprintf("%d/%d %.0f%%", covered, all, 100 * covered / all)
            }
            $1 == "suite" { tests = $2 }
            $1 == "class" { lines += $3; of_lines += $4; branches += $5; of_branches += $6 }
            END {
                if (side == "people") failing = null = seconds = "-"
                printf "%-12s %6s %5d %16s %16s %8s %6s %6s %6s\n", app, side, tests, share(lines, of_lines),
                    share(branches, of_branches), failing, null, seconds, mutants
            }' "$file"
    done
    if [ "$classes" = yes ]; then
        awk -F '\t' '
            $1 != "class" || $4 + $6 == 0 { next }
            NR == FNR { lines[$2] = $3; branches[$2] = $5; next }
            { printf "    %-46s lines %4d, people %4d of %4d   branches %4d, people %4d of %4d\n", $2, $3, lines[$2], $4, $5, branches[$2], $6 }
        ' "$at/coverage" "$at/own-coverage"
    fi
done
