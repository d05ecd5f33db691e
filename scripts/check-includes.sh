#!/usr/bin/env bash
# Rooms include one way (docs/ARCHITECTURE.md); includes are written "room/file.h"; foreign libraries stay in
# their room.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

may_include() { # the rooms that a room may include besides itself and include/heddle; fails for an unknown room
    awk -F'|' -v room="$1" '{ name = $1; gsub(/ /, "", name) }
        name == room { sub(/^ *-? */, "", $2); print $2; found = 1 } END { exit !found }' scripts/rooms.txt
}

# One foreign library, one room.
foreign() {
    local header=$1 room=$2
    grep -rnE "^#[[:space:]]*include[[:space:]]*<$header" src include 2>/dev/null | grep -v "^src/$room/" |
        while IFS= read -r line; do echo "$line: only src/$room may include this"; done
}

for dir in src/*/; do
    room=$(basename "$dir")
    if ! allowed=$(may_include "$room"); then
        echo "src/$room: unknown room; add it to scripts/rooms.txt"
        status=1
        continue
    fi
    while IFS=: read -r file line text; do
        target=$(sed -E 's/^[^"]*"([^"]*)".*/\1/' <<<"$text")
        to=${target%%/*}
        if [ "$to" = heddle ]; then
            [ -f "include/$target" ] || { echo "$file:$line: no such file: include/$target"; status=1; }
        elif [ "$to" = "$target" ]; then
            echo "$file:$line: write the room too: \"$room/$target\""
            status=1
        elif [ "$to" != "$room" ] && [[ " $allowed " != *" $to "* ]]; then
            echo "$file:$line: $room may not include $to"
            status=1
        elif [[ $to != "$room" && $target == *_int.h ]]; then
            echo "$file:$line: $target is private to $to"
            status=1
        fi
    done < <(grep -rnE '^#[[:space:]]*include[[:space:]]*"' "$dir" --include='*.c' --include='*.h' --include='*.cpp')
done
# Public headers stand on their own.
if grep -rnE '^#[[:space:]]*include[[:space:]]*"' include 2>/dev/null | grep -v '"heddle/'; then
    echo "a header in include/ may include only system headers and heddle/"
    status=1
fi
found=$(foreign 'z3' solve; foreign '(llvm|llvm-c|clang-c)/' pass)
[ -z "$found" ] || { printf '%s\n' "$found"; status=1; }
exit $status
