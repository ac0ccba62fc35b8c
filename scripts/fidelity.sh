#!/usr/bin/env bash
# ./x bench fidelity: real programs of Debian's packages, by the drivers of fixtures/fidelity: the same output and exit
# code as on the JDK, or not, and the time beside that of java and of java -Xint.
#
#   scripts/fidelity.sh CUPPING [NAME...]
#
# A driver is one class; its first line names the jars of /usr/share/java that it needs. A row without its jars is
# skipped. Fails if a row differs that is not listed in fixtures/fidelity/known, with the reason.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

[ $# -ge 1 ] || die "usage: scripts/fidelity.sh CUPPING [NAME...]"
cupping=$(realpath "$1")
shift
jdk=${CUPPING_SUITES_JDK:-/usr/lib/jvm/java-17-openjdk-amd64}
jars=/usr/share/java
rows=fixtures/fidelity
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || mapfile -t names < <(find "$rows" -name '*.java' -printf '%f\n' | sed 's/\.java$//' | LC_ALL=C sort)
[ $# -eq 0 ] || names=("$@")

# path NAME: the jars of a driver; fails if one is missing.
path() {
    local jar with='' needed
    read -ra needed < <(sed -n '1s,^// jars: ,,p' "$rows/$1.java")
    for jar in "${needed[@]}"; do
        [ -e "$jars/$jar.jar" ] || {
            echo "$jar"
            return 1
        }
        with+=:$jars/$jar.jar
    done
    echo "$with"
}

# timed OUTPUT COMMAND...: runs a command in an empty folder and prints the seconds; its exit code ends the output.
timed() {
    local output=$1 folder code=0 start
    shift
    folder=$(mktemp -d -p "$work")
    start=$(date +%s%N)
    (cd "$folder" && timeout 300 "$@" </dev/null >"$output" 2>"$output.err") || code=$?
    echo "exit $code" >>"$output"
    awk -v from="$start" -v to="$(date +%s%N)" 'BEGIN { printf "%.1f", (to - from) / 1e9 }'
}

# verdict NAME: same, different or not supported, and why.
verdict() {
    local at=$work/$1
    if cmp -s "$at.jdk" "$at.here"; then
        echo same
    elif grep -q 'natives\? methods\? that the machine lacks\|not supported' "$at.here.err"; then
        echo "not supported: $(grep -A1 'machine lacks\|not supported' "$at.here.err" | tail -1 | xargs | cut -c1-70)"
    else
        echo "different: $(diff "$at.jdk" "$at.here" | sed -n '/^>/{s/^> //p;q}' | cut -c1-70)"
    fi
}

same=0 differs=0 unlisted=0 skipped=0
printf '%-18s %7s %7s %8s  %s\n' program 'java s' '-Xint s' 'here s' result
for name in "${names[@]}"; do
    at=$work/$name
    if ! with=$(path "$name"); then
        printf '%-18s %7s %7s %8s  %s\n' "$name" - - - "skipped: no $with.jar"
        skipped=$((skipped + 1))
        continue
    fi
    mkdir -p "$at"
    "$jdk/bin/javac" --release 17 -encoding UTF-8 -nowarn -Xlint:none -proc:none -cp "${with#:}" -d "$at" "$rows/$name.java" \
        >"$at.javac" 2>&1 || die "$name does not compile: $(head -3 "$at.javac")"
    options=(-Duser.timezone=UTC -Duser.language=en -Duser.country=US -Djava.awt.headless=true)
    fast=$(timed "$at.jdk" "$jdk/bin/java" "${options[@]}" -cp "$at$with" "$name")
    slow=$(timed "$at.xint" "$jdk/bin/java" -Xint "${options[@]}" -cp "$at$with" "$name")
    here=$(timed "$at.here" "$cupping" run --jdk "$jdk" --time 2024-01-31T12:00:00Z -cp "$at$with" "$name")
    tail -1 "$at.jdk" | grep -qx 'exit 0' || die "$name fails on the JDK: $(head -3 "$at.jdk.err")"
    result=$(verdict "$name")
    if [ "$result" = same ]; then
        same=$((same + 1))
    else
        differs=$((differs + 1))
        grep -q "^$name " "$rows/known" 2>/dev/null || unlisted=$((unlisted + 1))
        [ -z "${CUPPING_FIDELITY_KEEP:-}" ] || cp "$at.jdk" "$at.here" "$at.here.err" "$CUPPING_FIDELITY_KEEP"
    fi
    printf '%-18s %7s %7s %8s  %s\n' "$name" "$fast" "$slow" "$here" "$result"
done
echo "$same same, $differs different or not supported ($unlisted not listed), $skipped skipped"
[ "$unlisted" -eq 0 ]
