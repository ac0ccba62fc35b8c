#!/usr/bin/env bash
# The suites of Debian's commons-lang3, commons-collections4 and commons-codec, as their authors wrote them, run by
# JUnit's own launcher (fixtures/suites/runner) on the JDK and on the machine, and compared test by test.
#
#   scripts/suites.sh prepare            fetches and compiles what is not there yet
#   scripts/suites.sh test CUPPING       the classes listed in fixtures/suites/quick; fails if one test differs that is
#                                        not listed in fixtures/suites/known
#   scripts/suites.sh bench CUPPING [SUITE...]   the whole suites, as a table; fails below 99 %
#
# Nothing is put into the checkout: all is in CUPPING_SUITES_DIR, ~/.cache/cupping-suites unless told. Where the sources
# cannot be had, the exit code is 77, as make check knows it: skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

cache=${CUPPING_SUITES_DIR:-$HOME/.cache/cupping-suites}
jars=/usr/share/java
all=(commons-lang3 commons-collections4 commons-codec)
jdk=${CUPPING_SUITES_JDK:-/usr/lib/jvm/java-17-openjdk-amd64}

# What the suites need of JUnit and of the libraries that they test against.
lib=$(printf "$jars/%s.jar:" junit4 hamcrest junit-jupiter-api junit-jupiter-params junit-platform-commons \
    junit-platform-engine junit-platform-launcher junit-jupiter-engine junit-vintage-engine opentest4j apiguardian-api \
    univocity-parsers easymock objenesis byte-buddy commons-io jsr305)
lib=${lib%:}
# Packages that reflective tests look into, as the suites' own builds open them.
opens=(java.lang java.lang.reflect java.util)

need_suites() {
    need_java
    need junit4 $jars/junit4.jar junit5 $jars/junit-platform-launcher.jar libhamcrest-java $jars/hamcrest.jar \
        libunivocity-parsers-java $jars/univocity-parsers.jar libeasymock-java $jars/easymock.jar \
        libobjenesis-java $jars/objenesis.jar libbyte-buddy-java $jars/byte-buddy.jar \
        libcommons-io-java $jars/commons-io.jar libjsr305-java $jars/jsr305.jar \
        libcommons-lang3-java $jars/commons-lang3.jar libcommons-collections4-java $jars/commons-collections4.jar \
        libcommons-codec-java $jars/commons-codec.jar \
        xz-utils xz patch patch
}

# lacking WHY: the sources cannot be had, which is nobody's fault here.
lacking() {
    say "skipped, as the sources of the suites cannot be downloaded: $1"
    exit 77
}

# fetch: the source packages, by an apt of our own beside that of the system.
fetch() {
    local apt=$cache/apt package
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$cache/packages"
    local keys=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb-src [signed-by=$keys] ${CUPPING_DEBIAN:-http://deb.debian.org/debian} bookworm main" >"$apt/sources.list"
    local options=(-q -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt" -o "APT::Sandbox::User=$(id -un)")
    say "fetching the source packages of ${all[*]}"
    apt-get "${options[@]}" update >"$cache/apt.log" 2>&1 || lacking "apt-get update: see $cache/apt.log"
    for package in "${all[@]}"; do
        (cd "$cache/packages" && apt-get "${options[@]}" source --download-only "lib$package-java") \
            >>"$cache/apt.log" 2>&1 || lacking "apt-get source lib$package-java: see $cache/apt.log"
    done
}

# unpack SUITE: its sources with Debian's patches, in $cache/SUITE/source.
unpack() {
    local to=$cache/$1/source archive name
    [ -e "$to/.unpacked" ] && return
    compgen -G "$cache/packages/lib$1-java_*.orig.tar.*" >/dev/null || fetch
    rm -rf "$to"
    mkdir -p "$to"
    for archive in "$cache/packages/lib$1"-java_*.orig.tar.*; do
        tar xf "$archive" -C "$to" --strip-components=1
    done
    for archive in "$cache/packages/lib$1"-java_*.debian.tar.*; do
        tar xf "$archive" -C "$to"
    done
    if [ -e "$to/debian/patches/series" ]; then
        while read -r name; do
            case $name in '' | '#'*) continue ;; esac
            (cd "$to" && patch -s -p1) <"$to/debian/patches/$name" >/dev/null || die "$1: Debian's patch $name does not apply"
        done <"$to/debian/patches/series"
    fi
    touch "$to/.unpacked"
}

# build SUITE: compiles it into $cache/SUITE/classes and lists its test classes in $cache/SUITE/names.
build() {
    local suite=$1 at=$cache/$1 release=17 encoding=UTF-8
    # Its tests call Collection.toArray(null), which is ambiguous since Java 11.
    [ "$suite" = commons-collections4 ] && release=8 encoding=ISO-8859-1
    unpack "$suite"
    rm -rf "$at/classes"
    mkdir -p "$at/classes"
    # A benchmark on JMH, which Debian does not have.
    find "$at/source/src/test/java" -name '*.java' ! -name HashSetvBitSetTest.java | LC_ALL=C sort >"$at/files"
    "$jdk/bin/javac" --release $release -g -nowarn -Xlint:none -encoding $encoding \
        -cp "$lib:$cache/pioneer:$jars/$suite.jar:$jars/commons-lang3.jar" -d "$at/classes" "@$at/files" \
        >"$at/javac.log" 2>&1 || die "$suite does not compile: see $at/javac.log"
    (cd "$at/source/src/test/java" && find . -type f ! -name '*.java' -exec cp --parents {} "$at/classes" \;)
    # As the suites' own builds choose.
    sed 's,.*/src/test/java/,,; s,\.java$,,; s,/,.,g' "$at/files" | grep -E 'Test$' |
        grep -vE '\.Abstract[A-Za-z]*$|\.BulkTest$|AbstractTest$|PerformanceTest$' >"$at/names"
}

prepare() {
    need_suites
    mkdir -p "$cache"
    local stamp
    # shellcheck disable=SC2046 # One word for each file.
    stamp=$(cat scripts/suites.sh $(find fixtures/suites -name '*.java' | LC_ALL=C sort) | cksum)
    [ "$(cat "$cache/stamp" 2>/dev/null)" = "$stamp" ] && return
    exec 9>"$cache/lock"
    flock 9
    [ "$(cat "$cache/stamp" 2>/dev/null)" = "$stamp" ] && return
    say "compiling the suites into $cache"
    local suite
    for part in runner pioneer; do
        rm -rf "${cache:?}/$part"
        mkdir -p "$cache/$part"
        find "fixtures/suites/$part" -name '*.java' -print0 |
            xargs -0 "$jdk/bin/javac" --release 17 -cp "$lib" -d "$cache/$part"
    done
    for suite in "${all[@]}"; do
        build "$suite"
    done
    rm -rf "$cache"/*/expected-*
    echo "$stamp" >"$cache/stamp"
}

classpath() {
    echo "$cache/runner:$cache/pioneer:$cache/$1/classes:src/test/resources:$lib:$jars/$1.jar:$jars/commons-lang3.jar"
}

# on_jdk SUITE OUTPUT OPTION... -- CLASS...: runs classes on the JDK, from the folder of the sources.
on_jdk() {
    local suite=$1 output=$2 options=() package
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    for package in "${opens[@]}"; do
        options+=(--add-opens "java.base/$package=ALL-UNNAMED")
    done
    # A test may end the JVM: then what it lacks counts as not passed.
    (cd "$cache/$suite/source" && measured "$output" \
        "$jdk/bin/java" -ea -Duser.timezone=UTC "${options[@]}" -cp "$(classpath "$suite")" SuiteRunner "$@")
}

# on_machine CUPPING SUITE OUTPUT CLASS...: the same on the machine.
on_machine() {
    local cupping=$1 suite=$2 output=$3 options=() package number=0
    shift 3
    for package in "${opens[@]}"; do
        options+=(-D "jdk.module.addopens.$((number++))=java.base/$package=ALL-UNNAMED")
    done
    (cd "$cache/$suite/source" && measured "$output" \
        "$cupping" run --jdk "$jdk" --enable-assertions --heap "${CUPPING_SUITES_HEAP:-1g}" --stack 8m "${options[@]}" \
        --file src=/cupping-dir/src \
        --classpath "$(classpath "$suite")" SuiteRunner "$@")
}

# measured OUTPUT COMMAND...: leaves its output, and seconds and KiB beside it.
measured() {
    local output=$1
    shift
    if [ -x /usr/bin/time ]; then
        set -- /usr/bin/time -o "$output.cost" -f '%e %M' "$@"
    fi
    timeout "${CUPPING_SUITES_TIMEOUT:-7200}" "$@" >"$output" 2>"$output.err" </dev/null || true
}

# ended FILE: the lines of tests, each its id and how it ended.
ended() {
    # Tests print without ending their lines; the mark is before each of ours.
    LC_ALL=C sed -n 's/^.*\x01\([A-Z]*\)\t\([^\t]*\)\t.*/\2\t\1/p' "$1"
}

# compare EXPECTED ACTUAL: prints tests, passed on the JDK, passed here too, listed; and each that differs, unlisted.
compare() {
    LC_ALL=C awk -F '\t' '
        FILENAME == ARGV[1] { if ($0 !~ /^#/ && $1 != "") known[$1] = 1; next }
        FILENAME == ARGV[2] { tests++; if ($2 == "PASSED") { passed++; expected[$1] = 1 } next }
        { actual[$1] = $2 }
        END {
            for (id in expected) {
                if (actual[id] == "PASSED") same++
                else if (id in known) listed++
                else print "DIFFERS\t" id "\t" (id in actual ? actual[id] : "MISSING")
            }
            print "SUM\t" tests + 0 "\t" passed + 0 "\t" same + 0 "\t" listed + 0
        }
    ' fixtures/suites/known <(ended "$1") <(ended "$2") | LC_ALL=C sort
}

quick() {
    local cupping=$1 suite expected actual failed=0 names work
    prepare
    work=$(mktemp -d)
    # Expanded now: when the trap runs, the variable is out of scope.
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    for suite in "${all[@]}"; do
        mapfile -t names < <(sed -n "s/^$suite //p" fixtures/suites/quick)
        expected=$cache/$suite/expected-$(printf '%s\n' "${names[@]}" | cksum | cut -d' ' -f1)
        if ! [ -e "$expected" ]; then
            on_jdk "$suite" "$work/$suite.jdk" -- "${names[@]}"
            mv "$work/$suite.jdk" "$expected"
        fi
        actual=$work/$suite.actual
        on_machine "$cupping" "$suite" "$actual" "${names[@]}"
        compare "$expected" "$actual" >"$work/compared"
        grep '^DIFFERS' "$work/compared" | head -n 20 || true
        read -r tests passed same listed < <(sed -n 's/^SUM\t//p' "$work/compared")
        echo "$suite: $tests tests, $passed pass on the JDK, $same of them here, $listed listed as known"
        [ "$passed" -gt 0 ] && [ $((same + listed)) -eq "$passed" ] || failed=1
        if [ $failed -ne 0 ]; then
            grep -v $'\x01' "$actual" | tail -n 5 || true
            tail -n 10 "$actual.err"
        fi
    done
    return $failed
}

bench() {
    local cupping=$1 suite at share failed=0
    shift
    need time /usr/bin/time
    prepare
    [ $# -gt 0 ] || set -- "${all[@]}"
    printf '%-22s %6s %7s %7s %8s %7s | %8s %8s %8s | %8s %8s\n' suite tests 'on JDK' here share listed \
        'here s' 'java s' '-Xint s' 'here MB' 'java MB'
    for suite in "$@"; do
        at=$cache/$suite
        mapfile -t names <"$at/names"
        say "$suite: ${#names[@]} classes"
        on_jdk "$suite" "$at/jdk" -- "${names[@]}"
        on_machine "$cupping" "$suite" "$at/machine" "${names[@]}"
        on_jdk "$suite" "$at/xint" -Xint -- "${names[@]}"
        compare "$at/jdk" "$at/machine" >"$at/compared"
        read -r tests passed same listed < <(sed -n 's/^SUM\t//p' "$at/compared")
        share=$(awk -v a="$same" -v b="$passed" 'BEGIN { printf "%.2f%%", b ? 100 * a / b : 0 }')
        printf '%-22s %6d %7d %7d %8s %7d | %8.1f %8.1f %8.1f | %8.0f %8.0f\n' "$suite" "$tests" "$passed" "$same" \
            "$share" "$listed" "$(cost "$at/machine" 1)" "$(cost "$at/jdk" 1)" "$(cost "$at/xint" 1)" \
            "$(($(cost "$at/machine" 2) / 1024))" "$(($(cost "$at/jdk" 2) / 1024))"
        [ $((same * 100)) -ge $((passed * 99)) ] && [ "$passed" -gt 0 ] || failed=1
        sed -n 's/^DIFFERS\t/  not listed: /p' "$at/compared" | head -n 100
    done
    return $failed
}

cost() {
    tail -n 1 "$1.cost" | cut -d' ' -f"$2"
}

case ${1:-} in
    prepare) prepare ;;
    test) quick "$2" ;;
    bench)
        shift
        bench "$@"
        ;;
    *) die "usage: scripts/suites.sh prepare | test CUPPING | bench CUPPING [SUITE...]" ;;
esac
