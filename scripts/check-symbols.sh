#!/usr/bin/env bash
# No unprefixed global symbol in the tool's objects: check-symbols.sh BUILD. The runtime has a check of its own.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
objects=$(find "$build" -path '*/hd_*.dir/*' -name '*.o' -o -path '*/heddle.dir/*' -name '*.o' | grep -v "^$build/tests/\|/hd_rt\|/hd_pass")
[ -n "$objects" ] || { echo "no objects in $build: build first"; exit 1; }
bad=$(xargs nm -A -g --defined-only <<<"$objects" |
    awk '$NF !~ /^(main|hd_.*|__hd_.*|LLVMFuzzer.*)$/ && NF { print }')
[ -z "$bad" ] || { printf '%s\n' "$bad"; echo "global names start with hd_"; exit 1; }
