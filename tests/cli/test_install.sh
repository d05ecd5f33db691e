#!/usr/bin/env bash
# `make install PREFIX=...` gives a tool that runs from there, its headers and its completions.
set -u
build=$(dirname "$HEDDLE")
prefix=$TMP_DIR/install.$$
trap 'rm -rf "$prefix"' EXIT
fail() { echo "FAIL $*"; exit 1; }

cmake --install "$build" --prefix "$prefix" >"$TMP_DIR/install.log" 2>&1 || { cat "$TMP_DIR/install.log"; fail "cmake --install"; }
[ "$("$prefix/bin/heddle" --version | head -1)" = "$("$HEDDLE" --version | head -1)" ] || fail "the installed tool does not run"
for header in "$TESTS"/../include/heddle/*.h; do
    cmp -s "$header" "$prefix/include/heddle/$(basename "$header")" || fail "header $(basename "$header")"
    echo "#include <heddle/$(basename "$header")>" | cc -std=c17 -Wall -Werror -fsyntax-only -I"$prefix/include" -xc - ||
        fail "$(basename "$header") does not stand alone"
done
for script in bash-completion/completions/heddle zsh/site-functions/_heddle fish/vendor_completions.d/heddle.fish; do
    grep -q trace "$prefix/share/$script" || fail "completion $script"
done
bash -n "$prefix/share/bash-completion/completions/heddle" || fail "the bash completion does not parse"
pages=$(find "$TESTS/../docs/man" -name "*.[1-8].md" 2>/dev/null | wc -l)
installed=$(find "$prefix" -path '*/man/man[1-8]/*' | wc -l)
[ "$pages" = "$installed" ] || fail "$installed of $pages man pages installed"
