#!/usr/bin/env bash
# Every crate is listed in ARCHITECTURE.md, between the markers `rooms` and `/rooms`, top to bottom, and depends
# only on crates listed below it. Prints each violation and exits with 1 if there is one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

awk '
    FILENAME == "ARCHITECTURE.md" {
        if (/<!-- rooms/) listing = 1
        else if (/<!-- \/rooms/) listing = 0
        else if (listing && $1 ~ /^[a-z]+$/) rank[$1] = ++rooms
        next
    }
    FNR == 1 {
        split(FILENAME, path, "/")
        crate = path[2]
        section = ""
        if (!(crate in rank)) {
            print FILENAME ": the crate is not listed in ARCHITECTURE.md"
            bad = 1
        }
    }
    /^\[/ { section = $0 }
    section ~ /dependencies/ && /^cupping-[a-z]+/ {
        match($0, /^cupping-[a-z]+/)
        target = substr($0, 9, RLENGTH - 8)
        if (target in rank && crate in rank && rank[target] <= rank[crate]) {
            print FILENAME ":" FNR ": " crate " depends on " target ", which is not below it"
            bad = 1
        }
    }
    END {
        if (!rooms) {
            print "ARCHITECTURE.md: no list of rooms between <!-- rooms --> and <!-- /rooms -->"
            bad = 1
        }
        exit bad
    }
' ARCHITECTURE.md crates/*/Cargo.toml
