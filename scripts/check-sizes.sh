#!/usr/bin/env bash
# File limits (.c 800 lines, .h 250) and the function limit (60 lines, signature included). Exceptions
# stand in scripts/size-exceptions.txt, each with a reason; one that is not needed is an error too.
set -u
cd "$(dirname "$0")/.." || exit 1
exceptions=scripts/size-exceptions.txt

measure() { # prints: path name lines limit, for all that is too long
    git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp' |
        while IFS= read -r file; do [ -f "$file" ] && echo "$file"; done | xargs -r awk '
        function file_done() {
            limit = path ~ /\.h$/ ? 250 : 800
            if (path != "" && lines > limit)
                print path, "-", lines, limit
        }
        FNR == 1 { file_done(); path = FILENAME; head = 0; body = 0 }
        { lines = FNR }
        # Outside a body, a definition starts at the first text after a blank line, a comment or an end.
        !body && /^[A-Za-z_]/ && !head { head = FNR; text = "" }
        !body && head { text = text " " $0 }
        !body && /^\{$/ { body = 1; if (!head) head = FNR }
        !body && (/^$/ || /;$/ || /\*\/$/ || /^#/ || /^}/) { head = 0 }
        body && /^}/ {
            size = FNR - head + 1
            if (size > 60) {
                sub(/\(.*/, "", text); sub(/.*[ *]/, "", text)
                print path, text, size, 60
            }
            body = 0; head = 0
        }
        END { file_done() }'
}

long=$(measure)
status=0
while read -r path name lines limit; do
    [ -n "$path" ] || continue
    if ! grep -qE "^$path $name [^ ]" "$exceptions" 2>/dev/null; then
        [ "$name" = - ] && what="the file" || what="function $name"
        echo "$path: $what has $lines lines, the limit is $limit"
        status=1
    fi
done <<<"$long"
while read -r path name reason; do
    case $path in ''|'#'*) continue ;; esac
    [ -n "$reason" ] || { echo "$exceptions: $path $name has no reason"; status=1; }
    grep -qF "$path $name " <<<"$long" || { echo "$exceptions: $path $name is not needed"; status=1; }
done <"$exceptions"
exit $status
