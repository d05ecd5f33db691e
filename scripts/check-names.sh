#!/usr/bin/env bash
# Names are unique in the program: no file stem stands in two folders, no tag hd_... is defined twice, all headers
# of the tool can be included together, and a function is called after a file of its folder, the folder, the room or
# a type (base/alloc.h and base/err.h, which stand in for libc, may do as libc does).
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
    function dir_of(path) { sub(/\/[^\/]*$/, "", path); return path }
    # The beginning of a name up to each "_": is one of them a word that may open names of this folder?
    function known(name, dir, n, part, i, text) {
        n = split(name, part, "_")
        for (i = 1; i <= n; i++) {
            text = i == 1 ? part[1] : text "_" part[i]
            if (text in tag || (dir, text) in word || (dir, text "s") in word || (dir, substr(text, 1, length(text) - 1)) in word)
                return 1
        }
        return 0
    }
    BEGIN {
        while (("find src -name \"*.[ch]\"" | getline path) > 0) {
            dir = dir_of(path); stem = path; sub(/.*\//, "", stem); sub(/\.[ch]$/, "", stem)
            split(path, room, "/"); folder = dir; sub(/.*\//, "", folder)
            word[dir, stem] = word[dir, folder] = word[dir, room[2]] = 1
            while ((getline line < path) > 0)
                if (match(line, /^(struct|enum|union) hd_[a-z0-9_]+/)) {
                    sub(/^[a-z]+ hd_/, "", line); sub(/[^a-z0-9_].*/, "", line); tag[line] = 1
                }
            close(path)
        }
    }
    /^[a-z].*[ *]hd_[a-z0-9_]+\(/ && !/^(static|typedef)/ {
        name = $0; sub(/\(.*/, "", name); sub(/.*hd_/, "", name)
        if (!known(name, dir_of(FILENAME))) print FILENAME ":" FNR ": hd_" name " is not called after its file, room or type"
    }')
[ -z "$strangers" ] || { printf '%s\n' "$strangers"; status=1; }

# The runtime and the pass are programs of their own.
together=$(find src -name '*.h' ! -path 'src/rt/*' ! -path 'src/pass/*' ! -path 'src/abi/*' ! -path 'src/log/*' | sort |
    sed 's|^src/\(.*\)|#include "\1"|' |
    ${CC:-cc} -std=gnu17 -D_GNU_SOURCE -Isrc -Iinclude -fsyntax-only -x c - 2>&1 | grep 'error:' | head -20)
[ -z "$together" ] || { printf '%s\n' "$together" "headers must go together in one file"; status=1; }
exit $status
