#!/usr/bin/env bash
# Source files have at most 500 lines, but for those that scripts/sizes.txt lists. A file that is listed and is not
# longer is an error too, so the list shrinks with the files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

long=$(git ls-files -z 'crates/*.rs' 'tools/*.rs' | xargs -0 wc -l | awk '$2 != "total" && $1 > 500 { print $2 }' | sort)
# An empty list is a good list, so no match is no failure.
listed=$(grep -v '^#' scripts/sizes.txt | sort || true)
status=0
while read -r file; do
    echo "$file: more than 500 lines; make it several files, each with one idea"
    status=1
done < <(comm -23 <(echo "$long") <(echo "$listed") | grep . || true)
while read -r file; do
    echo "scripts/sizes.txt: $file has at most 500 lines; remove it from the list"
    status=1
done < <(comm -13 <(echo "$long") <(echo "$listed") | grep . || true)
exit $status
