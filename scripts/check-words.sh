#!/usr/bin/env bash
# Nothing unfinished in the product: marker words are absent from src/ and include/.
set -u
cd "$(dirname "$0")/.." || exit 1
if grep -rnwiE 'todo|fixme|xxx|hdx|tbd|wip|stubs?|stubbed|unimplemented|not (yet )?implemented' src include 2>/dev/null; then
    echo "finish it, or open an issue and say its number in docs/"
    exit 1
fi
