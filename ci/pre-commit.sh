#!/bin/sh
# The hook for pre-commit (https://pre-commit.com): checks the generated tests of the classes whose sources are about to
# be committed. Arguments are files; those that are no Java source are left out, and so are deleted ones.
set -eu

cupping=${CUPPING:-cupping}
if ! command -v "$cupping" >/dev/null; then
    echo "cupping is not on the PATH; install it first (README.md of Cupping), or name it in CUPPING" >&2
    exit 2
fi

# The arguments are dealt round once: each is taken off the front, and put at the end if it is kept.
left=$#
while [ "$left" -gt 0 ]; do
    file=$1
    shift
    left=$((left - 1))
    case $file in
        *.java) if [ -f "$file" ]; then set -- "$@" "$file"; fi ;;
    esac
done
[ $# -gt 0 ] || exit 0

code=0
"$cupping" check "$@" || code=$?
# A class without generated tests is no failure.
if [ "$code" -eq 3 ]; then code=0; fi
exit "$code"
