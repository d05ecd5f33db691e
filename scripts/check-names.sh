#!/usr/bin/env bash
# Names are unique in the program: no file stem stands in two folders, no tag hd_... is defined twice, all headers
# of the tool can be included together, and a function is called hd_<file>_<verb> after the header that declares it, or
# after a type of that header (base/alloc.h and base/err.h, which stand in for libc, may do as libc does).
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

strangers=$(find src -name '*.h' ! -path 'src/rt/*' ! -path 'src/pass/*' ! -path 'src/abi/*' ! -path 'src/log/*' ! -path 'src/openmp/*' \
    ! -path src/base/alloc.h ! -path src/base/err.h -print0 | sort -z | xargs -0 awk '
    function opens(word, name) { return name == word || index(name, word "_") == 1 }
    # Is the function called after its header, or after a type that the header defines or declares?
    function known(name, stem, i) {
        if (opens(stem, name) || opens(stem "s", name) || (stem ~ /s$/ && opens(substr(stem, 1, length(stem) - 1), name)))
            return 1
        for (i in tag)
            if (opens(i, name))
                return 1
        return 0
    }
    function judge(i) {
        for (i = 1; i <= n; i++)
            if (!known(names[i], stem))
                print at[i] ": hd_" names[i] " is not called after its file or a type of it"
        n = 0
        split("", tag)
    }
    FNR == 1 { judge(); stem = FILENAME; sub(/.*\//, "", stem); sub(/(_int)?\.h$/, "", stem) }
    /^(struct|enum|union) hd_[a-z0-9_]+( \{|;)/ { word = $2; gsub(/^hd_|;$/, "", word); tag[word] }
    /^[a-z].*[ *]hd_[a-z0-9_]+\(/ && !/^(static|typedef)/ {
        name = $0; sub(/\(.*/, "", name); sub(/.*hd_/, "", name)
        names[++n] = name; at[n] = FILENAME ":" FNR
    }
    END { judge() }')
[ -z "$strangers" ] || { printf '%s\n' "$strangers"; status=1; }

# The runtime and the pass are programs of their own.
together=$(find src -name '*.h' ! -path 'src/rt/*' ! -path 'src/pass/*' ! -path 'src/abi/*' ! -path 'src/log/*' | sort |
    sed 's|^src/\(.*\)|#include "\1"|' |
    ${CC:-cc} -std=gnu17 -D_GNU_SOURCE -Isrc -Iinclude -fsyntax-only -x c - 2>&1 | grep 'error:' | head -20)
[ -z "$together" ] || { printf '%s\n' "$together" "headers must go together in one file"; status=1; }
exit $status
