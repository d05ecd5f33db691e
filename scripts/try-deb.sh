#!/usr/bin/env bash
# Installs the package of `make deb` in a clean Debian and tries it there: try-deb.sh [PACKAGE.deb]. Needs root, debootstrap
# and the Debian mirror that apt uses on this machine; takes some minutes and 1.5 GB. Not part of the test suite.
# The chroot is a folder of mktemp, removed at the end; KEEP=1 keeps it.
set -eu
cd "$(dirname "$0")/.."
package=${1:-$(ls -t build-deb/*.deb | head -1)}
[ "$(id -u)" = 0 ] || { echo "try-deb: run it as root" >&2; exit 77; }
command -v debootstrap >/dev/null || { echo "try-deb: install debootstrap" >&2; exit 77; }
. /etc/os-release || exit 1
read -r mirror < <(apt-get indextargets --format '$(RELEASE) $(SITE)' 'Created-By: Packages' |
    sed -n "s/^$VERSION_CODENAME //p" | sort -u)
[ -n "$mirror" ] || { echo "try-deb: apt names no mirror of $VERSION_CODENAME" >&2; exit 77; }
root=$(mktemp -d)
chmod 755 "$root" # apt downloads as another user
finish() {
    for at in proc dev/shm; do mountpoint -q "$root/$at" && umount "$root/$at"; done
    [ "${KEEP:-0}" = 1 ] || rm -rf --one-file-system "$root"
}
trap finish EXIT

inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }

debootstrap --variant=minbase "$VERSION_CODENAME" "$root" "$mirror" >"$root.log" 2>&1 || { tail -20 "$root.log"; exit 1; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
mkdir -p "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
cp "$package" "$root/tmp/heddle.deb"
cp examples/hidden.c examples/hidden_fixed.c "$root/tmp/"
inside apt-get update -qq
inside apt-get install -y -qq --no-install-recommends /tmp/heddle.deb >"$root/install.log" 2>&1 ||
    { tail -20 "$root/install.log"; exit 1; }

echo "try-deb: heddle doctor"
inside heddle doctor
status=0
inside sh -c 'cd /tmp && heddle run hidden.c' >"$root/race.log" 2>&1 || status=$?
[ $status = 66 ] || { cat "$root/race.log"; echo "try-deb: hidden.c ended with $status, not 66"; exit 1; }
inside sh -c 'cd /tmp && heddle run hidden_fixed.c' >"$root/fixed.log" 2>&1 || { cat "$root/fixed.log"; exit 1; }
inside sh -c 'echo "#include <heddle/annotate.h>" >/tmp/a.c && heddle cc -c /tmp/a.c -o /tmp/a.o'
inside apt-get remove -y -qq heddle >/dev/null 2>&1
left=$(find "$root/usr" -path '*heddle*' ! -type d | head -5)
[ -z "$left" ] || { echo "try-deb: files are left after removal: $left"; exit 1; }
echo "try-deb: $package installs, works and can be removed"
