#!/usr/bin/env bash
# File names are unique in src/: no stem stands in two folders, so a name alone says which file is meant.
set -u
cd "$(dirname "$0")/.." || exit 1
doubled=$(find src include/heddle -name '*.[ch]' -o -name '*.cpp' | awk -F/ '
    { dir = $0; sub(/\/[^\/]*$/, "", dir); stem = $NF; sub(/\.[a-z]+$/, "", stem)
      if (stem in at && at[stem] != dir) print "two files are called " stem ": in " at[stem] " and in " dir
      at[stem] = dir }')
[ -z "$doubled" ] || { printf '%s\n' "$doubled" | sort; exit 1; }
