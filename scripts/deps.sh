#!/usr/bin/env bash
# Installs what the build and the tests need from Debian's packages. Quiet when all is there.
set -eu

packages=(
    # the build
    cmake ninja-build pkg-config gcc g++ libc6-dev binutils dpkg-dev
    clang clang-14 libclang-rt-14-dev llvm-14-dev
    libz3-dev libzstd-dev libxxhash-dev zlib1g-dev libjansson-dev
    # the tests and the house checks
    libcmocka-dev libdw-dev zstd clang-format-14 git jq libxml2-utils python3-jsonschema gdb gdbserver
)
# With --ci also what only widens the tests: the newer LLVM, other build systems, and a browser with its driver for the
# HTML report (some 800 MB).
ci=0
if [ "${1:-}" = --ci ]; then
    ci=1
    packages+=(clang-19 llvm-19-dev libabsl-dev meson make patch tcl chromium fonts-dejavu-core nodejs slurm-wlm munge)
    # Some packages of Node bring npm along.
    command -v npm >/dev/null 2>&1 || packages+=(npm)
fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "heddle: this is not Debian; install the equivalents of: ${packages[*]}" >&2
    exit 0
fi

# Node's packages for tests/web, as its lock file names them; nothing to do when they are there.
node_packages() {
    local web log
    [ "$ci" = 1 ] || return 0
    web=$(dirname "$0")/../tests/web
    [ "$web/node_modules/.package-lock.json" -nt "$web/package-lock.json" ] && return 0
    log=$(mktemp)
    if ! npm ci --prefix "$web" --no-audit --no-fund >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        echo "heddle: npm could not install what tests/web needs" >&2
        return 1
    fi
    rm -f "$log"
}

installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
    [[ $installed == *" installed:$package "* ]] || missing+=("$package")
done
if [ ${#missing[@]} = 0 ]; then
    node_packages
    exit
fi

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
node_packages
