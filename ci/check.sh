#!/bin/sh
# What every recipe of continuous integration runs: `cupping check` with its documents in one folder, and the summary
# where the server shows it. Arguments go to `cupping check`. POSIX sh, since images are small.
#
#   CUPPING         the program [cupping]
#   CUPPING_REPORTS the folder of the documents [cupping-reports]
#   CUPPING_ACCEPT  a file of known findings, used if it is there [cupping-accepted.json]
#
# Exit codes are those of `cupping check`, but that a project without generated tests passes.
set -eu

cupping=${CUPPING:-cupping}
reports=${CUPPING_REPORTS:-cupping-reports}
accept=${CUPPING_ACCEPT:-cupping-accepted.json}

if ! command -v "$cupping" >/dev/null; then
    echo "check.sh: $cupping is not on the PATH; install it first (README.md), or name it in CUPPING" >&2
    exit 2
fi
mkdir -p "$reports"
if [ -f "$accept" ]; then
    set -- --accept "$accept" "$@"
fi

code=0
"$cupping" check --markdown "$reports/summary.md" --sarif "$reports/check.sarif" \
    --junit-xml "$reports/check.xml" --json "$reports/check.json" "$@" || code=$?

if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$reports/summary.md" ]; then
    cat "$reports/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    {
        echo "code=$code"
        echo "reports=$reports"
    } >>"$GITHUB_OUTPUT"
fi
if [ "$code" -eq 3 ]; then
    echo "check.sh: there is no generated test yet; \`cupping generate\` writes some"
    code=0
fi
exit "$code"
