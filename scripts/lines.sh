#!/usr/bin/env bash
# Lines of sources and documents have at most 120 columns. Tables, lines with a URL, and lines without a space
# to break at do not count, nor do fixtures, the texts of raw strings, and the histories of benchmarks.
# Prints each violation and exits with 1 if there is one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck disable=SC2016
git ls-files -z '*.rs' '*.md' ':!fixtures' ':!BENCHMARKS.md' | xargs -0 perl -CSD -ne '
    chomp;
    $fence = 0 if $. == 1;
    $fence = !$fence if $ARGV =~ /\.md$/ && /^```/;
    $long = length > 120 && !/^\s*(?:\/\/[\/!]? )?\|/ && !/https?:/ && !$fence;
    # In Rust, rustfmt lays out code; long strings are the business of their authors.
    $long = 0 if $ARGV =~ /\.rs$/ && !/^\s*\/\//;
    if ($long) { printf "%s:%d: %d columns\n", $ARGV, $., length; $bad = 1 }
    if (eof) { close ARGV }
    END { $? = $bad ? 1 : 0 }
'
