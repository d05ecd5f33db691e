#!/usr/bin/env bash
# Every C and C++ file is as clang-format 14 would write it. Version 14 because others differ in details.
set -u
cd "$(dirname "$0")/.." || exit 1
tool=$(command -v clang-format-14 || command -v clang-format) || { echo "clang-format 14 is missing"; exit 1; }
git ls-files -z --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp' |
    xargs -0 -r "$tool" --dry-run -Werror --ferror-limit=3
