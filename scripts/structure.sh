#!/usr/bin/env bash
# scripts/structure.sh [REVISION…]: how the sources are built, one column for each revision and one for the sources here.
# What is counted is in `measure`; tests within the sources count as files and lines, and nowhere else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The source files of all rooms, without those that hold tests only.
sources() {
    find crates/*/src -name '*.rs' | grep -Ev '/tests?(\.rs|/)' | sort
}

# matching PATTERN [FOLDER]: the number of source files with such a line.
matching() {
    sources | grep "^${2:-crates/}" | xargs grep -lE "$1" | wc -l
}

# The methods of a type in a room: functions of its blocks `impl TYPE {`.
methods() {
    # shellcheck disable=SC2016
    find "crates/$1/src" -name '*.rs' -print0 | xargs -0 awk -v type="$2" '
        $0 ~ "^impl(<[^>]*>)? " type "(<[^>]*>)? [{]" { inside = 1 }
        /^}/ { inside = 0 }
        inside && /^    (pub(\([a-z: ]+\))? )?(const )?(unsafe )?fn / { count++ }
        END { print count + 0 }'
}

# How often the options that several commands have are declared, each of which one declaration could do for all.
declarations() {
    sources | grep '^crates/cupping/' | xargs awk '
        /#\[arg\(/ { declared = 1; next }
        declared && /^ +pub (jdk|junit_jar|json|html|quiet|jobs|budget):/ { count++ }
        { declared = 0 }
        END { print count + 0 }'
}

# Names that four or more types of different files have, such as `Node` once.
shared_names() {
    sources | xargs grep -hoE '^(pub(\([a-z]+\))? )?(struct|enum|trait|type) [A-Z][A-Za-z0-9]*' |
        awk '{ print $NF }' | sort | uniq -c | awk '$1 > 3 { count++ } END { print count + 0 }'
}

# measure CRATES-TOOL: a line `NAME | NUMBER` for each measure of the sources in the current folder.
measure() {
    local circles
    circles=$("$1" --all crates /dev/null | grep 'a circle of' || true)
    cat <<END
source files | $(find crates/*/src -name '*.rs' | wc -l)
lines in them | $(find crates/*/src -name '*.rs' -print0 | xargs -0 cat | wc -l)
files of more than 500 lines | $(find crates/*/src -name '*.rs' -print0 | xargs -0 wc -l | awk '$2 != "total" && $1 > 500' | wc -l)
circles of files | $(grep -c . <<<"$circles" || true)
files in circles | $(awk '{ sum += $(NF - 1) } END { print sum + 0 }' <<<"$circles")
files in the largest circle | $(awk '$(NF - 1) > most { most = $(NF - 1) } END { print most + 0 }' <<<"$circles")
methods of \`Machine\` | $(methods machine Machine)
public fields of \`Machine\` | $(find crates/machine/src -name '*.rs' -print0 | xargs -0 awk '/^pub struct Machine / { inside = 1 } /^}/ { inside = 0 } inside && /^    pub [a-z_]+:/' | wc -l)
files that declare options | $(matching '#\[arg\(' crates/cupping/)
declarations of seven shared options, such as \`--json\` | $(declarations)
files that begin an HTML page | $(matching 'DOCTYPE|<!doctype|</html>')
files that take descriptors apart | $(matching "find\\(';'\\)|split_once\\(';'\\)|!= b';'|b';' =>|'<', ';'")
names that four or more types have | $(shared_names)
files that name \`iadd\` | $(matching '\b(IADD|IAdd|Iadd|iadd)\b|\b0x60\b')
END
}

tool=${CARGO_TARGET_DIR:-$PWD/target}/debug/cupping-circles
cargo build --quiet -p cupping-circles
measure "$tool" >"$work/here"
columns=()
for revision; do
    column=$(git rev-parse --short "$revision")
    git clone --quiet --shared --no-checkout . "$work/$column.sources"
    git -C "$work/$column.sources" checkout --quiet "$revision"
    (cd "$work/$column.sources" && measure "$tool" | sed 's/.*| //') >"$work/$column"
    columns+=("$column")
done

printf '| |'
printf ' %s |' "${columns[@]}" now
printf '\n|---|'
printf -- '---|%.0s' "${columns[@]}" now
echo
paste -d'|' <(sed 's/ |.*//' "$work/here") "${columns[@]/#/$work/}" <(sed 's/.*| //' "$work/here") |
    sed 's/|/ | /g; s/^/| /; s/$/ |/'
