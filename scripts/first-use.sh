#!/usr/bin/env bash
# scripts/first-use.sh ARCHIVE: unpacks a release in a new Debian 12 root with a JDK and nothing else, and does there what
# somebody does first: generates tests of a class, runs them, changes the class, and asks which hold no longer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/common.sh

archive=$(realpath "${1:?which archive?}")
[ "$(id -u)" -eq 0 ] || die "a root needs root: run it with sudo"
need debootstrap debootstrap

root=${CUPPING_FIRST_USE_ROOT:-$(mktemp -d)}
if ! [ -x "$root/usr/bin/javac" ]; then
    say "making a Debian 12 root with a JDK in $root"
    debootstrap --variant=minbase --include=default-jdk-headless bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" \
        >"$root.log" 2>&1 || die "debootstrap failed: see $root.log"
fi
for absent in /usr/share/java/junit-jupiter-api.jar /usr/lib/x86_64-linux-gnu/libz3.so.4 /usr/bin/cc; do
    ! [ -e "$root$absent" ] || die "$absent is there; the root is to have a JDK and nothing else"
done

rm -rf "$root/opt/cupping" "$root/home/ada" && mkdir -p "$root/opt/cupping" "$root/home/ada/shop"
tar -C "$root/opt/cupping" --strip-components=1 -xzf "$archive"
cat >"$root/home/ada/shop/Bonus.java" <<'END'
package shop;

public class Bonus {
    public static int of(int points) {
        if (points < 0) {
            throw new IllegalArgumentException("no points");
        }
        return points >= 100 ? points / 10 : 0;
    }
}
END
cat >"$root/home/ada/try.sh" <<'END'
set -eu
cd /home/ada
export HOME=/home/ada PATH=/opt/cupping/bin:$PATH
cupping --version
cupping doctor || true
javac -g -d classes shop/Bonus.java
cupping generate -cp classes shop.Bonus --budget 5s --out tests
cupping check -cp classes --tests tests
sed -i 's/>= 100/> 100/' shop/Bonus.java
javac -g -d classes shop/Bonus.java
if cupping check -cp classes --tests tests; then echo "a change was not noticed" >&2; exit 1; fi
END
say "using it"
unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /bin/sh /home/ada/try.sh
say "works on Debian 12 with a JDK"
