#!/usr/bin/env bash
# Names are unique in the program: no file stem stands in two folders, no tag hd_... is defined twice, and all
# headers of the tool can be included together.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0
doubled=$(find src include/heddle -name '*.[ch]' -o -name '*.cpp' | awk -F/ '
    { dir = $0; sub(/\/[^\/]*$/, "", dir); stem = $NF; sub(/\.[a-z]+$/, "", stem)
      if (stem in at && at[stem] != dir) print "two files are called " stem ": in " at[stem] " and in " dir
      at[stem] = dir }' | sort)
[ -z "$doubled" ] || { printf '%s\n' "$doubled"; status=1; }

tags=$(find src include/heddle -name '*.[ch]' -print0 |
    xargs -0 awk '/^(struct|enum|union) hd_[a-z0-9_]+ \{/ {
        if ($2 in at) print FILENAME ":" FNR ": " $1 " " $2 " is defined in " at[$2] ", too"
        at[$2] = FILENAME }')
[ -z "$tags" ] || { printf '%s\n' "$tags"; status=1; }

# The runtime and the pass are programs of their own.
together=$(find src -name '*.h' ! -path 'src/rt/*' ! -path 'src/pass/*' ! -path 'src/abi/*' ! -path 'src/log/*' | sort |
    sed 's|^src/\(.*\)|#include "\1"|' |
    ${CC:-cc} -std=gnu17 -D_GNU_SOURCE -Isrc -Iinclude -fsyntax-only -x c - 2>&1 | grep 'error:' | head -20)
[ -z "$together" ] || { printf '%s\n' "$together" "headers must go together in one file"; status=1; }
exit $status
