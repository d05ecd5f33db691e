#!/usr/bin/env bash
# Installs what the build and the tests need from Debian's packages. Quiet when all is there.
set -eu

packages=(cmake ninja-build pkg-config gcc clang libclang-rt-14-dev llvm-14-dev clang-format
          libz3-dev libzstd-dev zlib1g-dev libjansson-dev libcmocka-dev zstd binutils)

if ! command -v apt-get >/dev/null 2>&1; then
    echo "heddle: this is not Debian; install the equivalents of: ${packages[*]}" >&2
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "heddle: please install these packages as root: ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "heddle: installing ${missing[*]}" >&2
log=$(mktemp)
if ! { "${as_root[@]}" apt-get update -qq &&
       DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "heddle: apt-get could not install: ${missing[*]}" >&2
    rm -f "$log"
    exit 1
fi
rm -f "$log"
