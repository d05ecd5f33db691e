#!/usr/bin/env bash
# Installs what the build and the tests need from Debian's packages. Quiet when all is there.
set -eu

packages=(
    # the build
    cmake ninja-build pkg-config gcc g++ libc6-dev binutils
    clang clang-14 libclang-rt-14-dev llvm-14-dev
    libz3-dev libzstd-dev zlib1g-dev libjansson-dev
    # the tests and the house checks
    libcmocka-dev libdw-dev zstd clang-format-14 git jq
)
# With --ci also what only widens the tests: the newer LLVM, other build systems (some 420 MB).
[ "${1:-}" != --ci ] || packages+=(clang-19 llvm-19-dev meson make)

if ! command -v apt-get >/dev/null 2>&1; then
    echo "heddle: this is not Debian; install the equivalents of: ${packages[*]}" >&2
    exit 0
fi

installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
    [[ $installed == *" installed:$package "* ]] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "heddle: please install these packages as root: ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
    [ "${CI:-}" != true ] || as_root+=(-n)
fi
echo "heddle: installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update -qq &&
       "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
           apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "heddle: apt-get could not install: ${missing[*]}" >&2
    exit 1
fi
