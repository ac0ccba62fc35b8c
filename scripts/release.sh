#!/usr/bin/env bash
# ./x release [DIR]: an archive and a Debian package that need a JDK and nothing else, with checksums and a list of
# their parts. The binary is linked by zig against glibc 2.31, and Z3 and JUnit are beside it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/common.sh

# The oldest glibc that it runs with, as symbols of what is in the archive are judged.
readonly GLIBC=2.31
readonly TARGET=x86_64-unknown-linux-gnu
readonly OUT=${1:-release}
# JUnit 5 and what it needs, as Debian has it. It is certified with where a project has none.
readonly JARS=(junit-jupiter-api junit-jupiter-params junit-platform-commons opentest4j apiguardian-api)

need_build
need_java
need binutils objdump dpkg-dev dpkg-deb
need_zig
for tool in cargo-deb cargo-cyclonedx; do
    if ! [ -x "$TOOLS/bin/$tool" ]; then
        say "building $tool"
        CARGO_TARGET_DIR="$TOOLS/tools" cargo install -q --locked --root "$TOOLS" "$tool"
    fi
done
export PATH="$TOOLS/venv/bin:$TOOLS/bin:$PATH"
z3=$(echo "$TOOLS"/venv/lib/python3*/site-packages/z3)/lib

# A target folder of its own: that of the tests is built with other options.
export CARGO_TARGET_DIR=${CUPPING_RELEASE_TARGET:-$TOOLS/target}
take_target
target=$CARGO_TARGET_DIR
version=$(cargo metadata --format-version 1 --no-deps | sed -n 's/.*"name":"cupping","version":"\([^"]*\)".*/\1/p')
name=cupping-$version-x86_64-linux

say "building cupping $version for glibc $GLIBC"
# shellcheck disable=SC2016 # $ORIGIN is for the loader.
Z3_NO_PKG_CONFIG=1 Z3_LIBRARY_PATH_OVERRIDE=$z3 Z3_SYS_Z3_VERSION=4.8.12 \
    RUSTFLAGS='-C link-arg=-Wl,-rpath,$ORIGIN/../lib:$ORIGIN/../lib/cupping' \
    cargo zigbuild -q --release --locked --target "$TARGET.$GLIBC" -p cupping --bin cupping
binary=$target/$TARGET/release/cupping

# No symbol of a newer glibc, in what is ours and in Z3.
newest=$(objdump -T "$binary" "$z3/libz3.so" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
[ "$(printf '%s\n' "$newest" "GLIBC_$GLIBC" | sort -V | tail -1)" = "GLIBC_$GLIBC" ] ||
    die "the binary needs $newest, which is newer than $GLIBC"
say "needs $newest"

say "packing"
root=$OUT/$name
rm -rf "$root" && mkdir -p "$root"/{bin,lib,share/cupping/java,share/man/man1,share/completions}
install -m 755 "$binary" "$root/bin/cupping"
install -m 644 "$z3/libz3.so" "$root/lib/libz3.so"
for jar in "${JARS[@]}"; do
    cp -L "/usr/share/java/$jar.jar" "$root/share/cupping/java/"
done
"$root/bin/cupping" man "$root/share/man/man1" >/dev/null
for shell in bash zsh fish; do
    "$root/bin/cupping" completions $shell >"$root/share/completions/cupping.$shell"
done
cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$root/"
cat >"$root/THIRD-PARTY" <<'END'
lib/libz3.so        Z3 4.8.12, Microsoft, MIT licence, https://github.com/Z3Prover/z3
share/cupping/java  JUnit 5, Eclipse Public License 2.0, https://github.com/junit-team/junit-framework
                    opentest4j and apiguardian, Apache License 2.0
The crates in the binary, with their licences, are in sbom.cdx.json.
END
cargo cyclonedx -q --manifest-path crates/cupping/Cargo.toml --format json \
    --target "$TARGET" --override-filename sbom
mv crates/cupping/sbom.json "$root/sbom.cdx.json"
find crates -name sbom.json -delete
# The same bytes from the same parts.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" \
    -C "$OUT" -czf "$OUT/$name.tar.gz" "$name"

# cargo-deb takes its files from the target folder.
package=$target/$TARGET/release/package
rm -rf "$package" && cp -r "$root" "$package"
gzip -9n "$package"/share/man/man1/*.1
cargo deb -q --no-build --no-strip -p cupping --target "$TARGET" --output "$OUT/"
(cd "$OUT" && sha256sum ./*.tar.gz ./*.deb >SHA256SUMS)
say "$OUT has $name.tar.gz, the package, and SHA256SUMS"
