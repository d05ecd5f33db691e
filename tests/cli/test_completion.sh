#!/usr/bin/env bash
# The completion scripts: bash's is run, the others are parsed where their shell is there.
. "$TESTS/cli/lib.sh" || exit 1
for shell in bash zsh fish; do
    heddle completion $shell
    expect_code 0
    cp out script.$shell
    if command -v $shell >/dev/null; then
        command_line="$shell -n"
        $shell -n script.$shell 2>err
        expect_no_err
    fi
    "$HEDDLE" help --tables | cut -f2 -s | sort -u | while read -r option; do
        grep -q -- "${option#--}" script.$shell || echo "$shell lacks $option"
    done >gaps
    expect "$(cat gaps)" [ ! -s gaps ]
done

# complete WORDS...: what bash offers for the last word.
. ./script.bash || exit 1
complete_words() {
    command_line="completing: $*"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _heddle
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ' >out
}
complete_words heddle t; expect_out "trace"
complete_words heddle ''; expect_out "$("$HEDDLE" help --tables | cut -f1 | grep -v ' ' | grep . | sort -u | tr '\n' ' ')"
complete_words heddle trace ''; expect_out "cat check convert enumerate gen reduce stats"
complete_words heddle trace c; expect_out "cat check convert"
complete_words heddle -q trace stats --; expect_out "--color --help --json --quiet"
complete_words heddle trace convert --to ''; expect_out "hdt std text"
complete_words heddle trace convert --to = h; expect_out "hdt"
complete_words heddle --color ''; expect_out "always auto never"
touch here.trace
complete_words heddle trace check he; expect_out "here.trace"
complete_words heddle trace gen --seed ''; expect "an argument is made up" [ "$(tr -d ' ' <out)" = "" ]
finish
