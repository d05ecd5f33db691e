#!/usr/bin/env bash
# Nothing unfinished in the product: marker words are absent from src/ and include/. Threads, code and users are
# called so: not somebody, nobody, anybody or whoever.
set -u
cd "$(dirname "$0")/.." || exit 1
# Capitals for the markers, since a variable may well be called todo.
marked=$(grep -rnwE 'TODO|FIXME|XXX|HACK|HDX|TBD|WIP' src include 2>/dev/null)
unfinished=$(grep -rnwiE 'stubs?|stubbed|unimplemented|not (yet )?implemented' src include 2>/dev/null)
if [ -n "$marked$unfinished" ]; then
    printf '%s\n' "$marked" "$unfinished" | grep .
    echo "finish it, or open an issue and say its number in docs/"
    exit 1
fi
people=$(grep -rnwE '[Ss]omebody|[Nn]obody|[Aa]nybody|[Ww]hoever' src include docs README.md 2>/dev/null)
if [ -n "$people" ]; then
    printf '%s\n' "$people"
    echo "say which: a thread, no thread, the user, the caller"
    exit 1
fi
