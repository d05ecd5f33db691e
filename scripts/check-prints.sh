#!/usr/bin/env bash
# Only cli/ prints or exits, and only base/process.c starts programs. Engine rooms return enum hd_status; they may write to a FILE * they are given.
# base/alloc.c (out of memory) and base/err.c (hd_panic) are the two last resorts; base/process.c exits in the child. rt/, openmp/ and pass/ run in
# other programs and have rules of their own; record/, replay/, explore/, concolic/ and solve/ may _exit in a forked child.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0
for dir in src/*/; do
    room=$(basename "$dir")
    case $room in cli | rt | openmp | pass) continue ;; esac
    words='printf|vprintf|puts|putchar|perror|exit|_Exit|quick_exit|abort|errx?|warnx?|error|psignal'
    words="$words|vfork|popen|system|posix_spawnp?|exec[vl]p?e?"
    case $room in record | replay | explore | concolic | solve) ;; *) words="$words|_exit" ;; esac
    while IFS= read -r file; do
        case $file in src/base/alloc.c | src/base/err.c | src/base/process.c) continue ;; esac
        # Strings and comments are blanked, lines kept.
        out=$(sed -E 's/"([^"\\]|\\.)*"/""/g; s@/\*.*\*/@@g; s@//.*@@' "$file" |
            awk '/\/\*/ && !/\*\// { sub(/\/\*.*/, ""); print; skip = 1; next }
                 skip { if (/\*\//) { sub(/.*\*\//, ""); skip = 0; print } else print ""; next } { print }' |
            grep -nE "(^|[^A-Za-z0-9_>.])($words)[[:space:]]*\(|[^A-Za-z0-9_]stderr[^A-Za-z0-9_]")
        [ -z "$out" ] || { sed "s|^|$file:|" <<<"$out"; status=1; }
    done < <(find "$dir" -name '*.[ch]' | sort)
done
[ $status = 0 ] || echo "engine rooms neither print nor exit, and start programs through base/process.h"
exit $status
