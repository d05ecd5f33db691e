#!/usr/bin/env bash
# A script ends when a file that it sources is missing: otherwise its functions are not there, and what it tests or
# removes is something else, in another folder.
set -u
cd "$(dirname "$0")/.." || exit 1
found=$(git ls-files --cached --others --exclude-standard -- '*.sh' | xargs -r grep -nHE '^[[:space:]]*(\.|source) [^|]*$')
if [ -n "$found" ]; then
    printf '%s\n' "$found"
    echo "write: . FILE || exit 1"
    exit 1
fi
