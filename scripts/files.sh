#!/usr/bin/env bash
# scripts/files.sh CUPPING [BUDGET]: tests of code that works on files. For classes of fixtures/files, Debian's commons-io and
# guava: tests, lines and branches that they cover, what is withheld, what did not hold on the JDK, and how many paths
# outside the temporary folder the tests change when JUnit runs them under strace. The last is to be 0.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh
need_java
need libcommons-io-java /usr/share/java/commons-io.jar \
    libguava-java /usr/share/java/guava.jar \
    jq jq
# shellcheck disable=SC2153 # The first argument is the binary.
cupping=$1
budget=${2:-10s}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
java=/usr/share/java
mkdir -p "$work/own"
javac -nowarn -g --release 11 -d "$work/own" fixtures/files/files/*.java

# Paths that calls of a trace change, outside of a folder, devices and the process's own entries left out.
outside() {
    awk -v folder="$1" '
        / (open|openat|creat)\(/ && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/ { next }
        / (open|openat|creat|mkdir|mkdirat|rmdir|unlink|unlinkat|rename|renameat|renameat2|link|linkat|symlink|symlinkat|chmod|fchmodat|truncate|utimensat|mknod|mknodat)\(/ {
            line = $0
            while (match(line, /"[^"]*"/)) {
                path = substr(line, RSTART + 1, RLENGTH - 2)
                line = substr(line, RSTART + RLENGTH)
                if (path ~ /^\/(dev|proc)\//) continue
                # Relative paths are from the current folder, or from a folder that strace names.
                if (path !~ /^\// && $0 ~ ("<" folder)) continue
                if (index(path, folder) != 1) print path
            }
        }
    ' "$2" | sort -u
}

# row CLASS-PATH CLASS...: a line for each class.
row() {
    local class_path=$1 class
    shift
    for class in "$@"; do
        local here=$work/run
        rm -rf "$here"
        mkdir -p "$here/tmp" "$here/cwd" "$here/classes"
        "$cupping" generate -cp "$class_path" "$class" --budget "$budget" --out "$here/tests" --json "$here/report.json" \
            --quiet >"$here/said" 2>&1 || true
        local run=none
        if find "$here/tests" -name '*.java' 2>/dev/null | grep -q .; then
            local api=$java/junit-jupiter-api.jar:$java/junit-platform-commons.jar:$java/opentest4j.jar:$java/apiguardian-api.jar
            find "$here/tests" -name '*.java' -print0 |
                xargs -0 javac -nowarn -encoding UTF-8 -cp "$class_path:$api" -d "$here/classes" 2>"$here/javac"
            (cd "$here/cwd" && strace -f -qq -y -s 4096 -e trace=%file -o "$here/trace" java -ea -XX:-UsePerfData \
                "-Djava.io.tmpdir=$here/tmp" -cp "$java/junit-platform-console-standalone.jar:$here/classes:$class_path" \
                org.junit.platform.console.ConsoleLauncher --scan-classpath "$here/classes" --disable-banner \
                >"$here/console" 2>&1) || true
            run=$(outside "$here/tmp" "$here/trace" | wc -l)
            if ! grep -q ' 0 tests failed' "$here/console"; then run="$run, some fail"; fi
        fi
        jq -r --arg outside "$run" '.results.classes[0] | [
            .class, ((.tests // .cases // []) | length), ((.failing // []) | length),
            "\(.coverage.lines.covered)/\(.coverage.lines.total)", "\(.coverage.branches.covered)/\(.coverage.branches.total)",
            ((.withheld // []) | length), (.divergences | length), $outside] | @tsv' "$here/report.json" |
            awk -F'\t' '{ printf "%-44s %5s %8s %9s %9s %8s %7s  %s\n", $1, $2, $3, $4, $5, $6, $7, $8 }'
    done
}

printf '%-44s %5s %8s %9s %9s %8s %7s  %s\n' class tests failing lines branches withheld dropped 'paths outside'
own=()
for source in fixtures/files/files/*.java; do
    own+=("files.$(basename "$source" .java)")
done
row "$work/own" "${own[@]}"
row "$java/commons-io.jar" org.apache.commons.io.{FileUtils,FilenameUtils,IOUtils,FileSystemUtils} \
    org.apache.commons.io.file.{PathUtils,Counters,DeletingPathVisitor} \
    org.apache.commons.io.input.{ReversedLinesFileReader,Tailer} org.apache.commons.io.output.{LockableFileWriter,FileWriterWithEncoding}
row "$java/guava.jar" com.google.common.io.{Files,MoreFiles,FileBackedOutputStream}
