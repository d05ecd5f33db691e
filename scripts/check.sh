#!/usr/bin/env bash
# Runs every house check and prints one line for each: check.sh [BUILD]. Exit 1 if any fails.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
failed=0
for script in scripts/check-*.sh; do
    name=$(basename "$script" .sh)
    if out=$("$script" "$build" 2>&1); then
        echo "ok    $name"
    else
        echo "FAIL  $name"
        printf '%s\n' "$out" | sed 's/^/      /'
        failed=1
    fi
done
exit $failed
