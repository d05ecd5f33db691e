#!/usr/bin/env bash
# Documents: lines of at most 100 columns outside of tables and code; relative links lead to files, and files that are
# named exist. That options are in their manual pages is tests/cli/test_man.sh's business.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0
mapfile -t texts < <(find . -name '*.md' -not -path './.git/*' -not -path './build*' -not -path '*/node_modules/*' -not -path '*/heddle-out/*' | sed 's#^\./##' | sort)

for file in "${texts[@]}"; do
    case $file in */*) [[ $file == docs/* ]] || continue ;; esac # the rooms' tables are wide
    LC_ALL=C awk -v file="$file" '
        /^ *```/ { code = !code; next }
        code || /^ *\|/ || /^!\[/ { next }
        { gsub(/[\200-\277]/, "") } # a character of UTF-8 counts once
        length($0) > 100 { printf "%s:%d: %d columns; at most 100\n", file, FNR, length($0); bad = 1 }
        END { if (code) { printf "%s: a code block is not closed\n", file; bad = 1 } exit bad }' "$file" || status=1
done

for file in "${texts[@]}"; do
    while IFS= read -r target; do
        path=${target%%#*}
        [ -z "$path" ] || [ -e "$(dirname "$file")/$path" ] || { echo "$file: the link to $target leads nowhere"; status=1; }
    done < <(awk '/^ *```/ { code = !code } !code' "$file" | sed 's/`[^`]*`//g' | grep -oE '\]\([^)]+\)' | sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:')
done

while IFS=: read -r file path; do
    [ -e "$path" ] || { echo "$file names $path, which is not there"; status=1; }
done < <(grep -rnoE --exclude-dir=node_modules '\bdocs/[A-Za-z_/-]+\.md' --include='*.[ch]' --include='*.sh' --include='*.md' --include='*.cpp' README.md CONTRIBUTING.md docs src include scripts tests 2>/dev/null |
    sed -E 's/:[0-9]+:/:/' | sort -u)

# Files of the tree that documents name in `code`. Patterns such as src/a/b.[ch] may match any; NAME and <name> stand for others.
while IFS=: read -r file path; do
    case $path in *NAME* | *NNNN* | *'<'*) continue ;; esac
    compgen -G "${path%/}" >/dev/null || { echo "$file names $path, which is not there"; status=1; }
done < <(printf '%s\n' "${texts[@]}" | xargs grep -noE '`(src|include|tests|scripts|bench|examples|packaging)/[^` ]+`' 2>/dev/null |
    sed -E 's/:[0-9]+:`/:/; s/`$//' | sort -u)
# Files that comments of the source name. The listed ones stand for a user's files, or are the system's.
declare -A sources
while IFS= read -r path; do sources[${path##*/}]=1; done < <(find src include -name '*.[ch]')
while IFS=: read -r file line name; do
    case $name in file.c | dir/file.c | a.c | b.c | bank.c | queue.c | ctype.h | threads.h | z3.h) continue ;; esac
    [ -n "${sources[${name##*/}]-}" ] || [ -e "$name" ] ||
        { echo "$file:$line: the comment names $name, which is not there"; status=1; }
done < <(find src include -name '*.[ch]' -o -name '*.inc' -o -name '*.cpp' | sort | xargs awk '
    { text = $0 }
    !/^ *(\/\*|\*)/ { if (!(at = index(text, "/*"))) next; text = substr(text, at) }
    {
        gsub(/<[^>]*>/, "<", text)
        while (match(text, /[A-Za-z0-9_.\/$-]+\.[ch][A-Za-z0-9_.]*/)) {
            name = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH); sub(/\.+$/, "", name)
            if (name ~ /^[a-z][a-z0-9_\/]*\.[ch]$/) print FILENAME ":" FNR ":" name
        }
    }')
# The exit codes are those of enum hd_exit, in README and heddle(1) as well.
numbers() { # numbers FILE HEADING ROW: of the rows below a heading, ascending
    sed -nE "/$2/,/^## D/s/$3/\\1/p" "$1" | sort -n | tr '\n' ' '
}
if [ -f src/cli/cli.h ]; then
    codes=$(numbers src/cli/cli.h '^enum hd_exit' '^ *HD_EXIT_[A-Z]+ = ([0-9]+),.*')
    [ "$codes" = "$(numbers README.md '^## Exit codes' '^\| ([0-9]+) \|.*')" ] ||
        { echo "README.md: other exit codes than enum hd_exit: $codes"; status=1; }
    [ "$codes" = "$(numbers docs/man/heddle.1.md '^## EXIT STATUS' '^- `([0-9]+)`.*')" ] ||
        { echo "docs/man/heddle.1.md: other exit codes than enum hd_exit: $codes"; status=1; }
fi
exit $status
