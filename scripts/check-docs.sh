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
exit $status
