#!/usr/bin/env bash
# ./x bench NAME [ARGS]: runs the benchmark of the crate cupping-NAME, or, for generate, of the whole command; the
# heading is made for BENCHMARKS.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/common.sh

[ $# -ge 1 ] || die "which benchmark? machine, solve or generate"
name=$1
shift
[ -d "crates/$name" ] || die "no benchmark '$name': machine, solve or generate"
package=cupping-$name
[ "$name" != generate ] || package=cupping

need_build
need_java
say "building (release)"
cargo build --release --quiet -p cupping
cargo bench --quiet -p "$package" --bench '*' --no-run

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
commit=$(git rev-parse --short HEAD 2>/dev/null || echo "no commit")
git diff --quiet HEAD 2>/dev/null || commit="$commit, changed"
cat <<END
### $name, $(date +%Y-%m-%d)

| machine | cores | memory | system | rustc | java | commit |
|---|---|---|---|---|---|---|
| ${cpu:-unknown} | $(nproc) | $(free -g | awk '/^Mem/ { print $2 " GB" }') | $(. /etc/os-release && echo "$PRETTY_NAME") | $(rustc --version | cut -d' ' -f2) | $(java -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p') | $commit |

\`\`\`
END
cargo bench --quiet -p "$package" --bench '*' -- "$@"
echo '```'
