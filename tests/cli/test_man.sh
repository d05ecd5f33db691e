#!/usr/bin/env bash
# Every command and every option is in its manual page, and the pages are good roff.
. "$TESTS/cli/lib.sh" || exit 1
docs=$TESTS/../docs/man

# section PAGE COMMAND: the part of a page that is about one command.
section() {
    awk -v head="### heddle $2" 'index($0, "### ") == 1 { on = index($0, head) == 1 && (length($0) == length(head) || substr($0, length(head) + 1, 1) == " ") }
        /^## / { on = 0 } on' "$1"
}

# missing TABLES: prints the options that their page does not name.
missing() {
    while IFS= read -r line; do
        path=${line%%$'\t'*} option=
        [[ $line == *$'\t'* ]] && option=${line#*$'\t'}
        verb=${path%% *} page=$docs/heddle${path:+-$verb}.1.md
        [ -f "$page" ] || { echo "no page for '$path'"; continue; }
        if [ "$path" = "$verb" ]; then text=$(cat "$page"); else text=$(section "$page" "$path"); fi
        [ -n "$text" ] || { echo "$page: no section 'heddle $path'"; continue; }
        [ -z "$option" ] || grep -qE -- "^- .*\`$option( [A-Z]+|\[=[A-Z]+\])?\`" <<<"$text" || echo "$page: $path: $option is missing"
    done
}

command_line="manual pages"
"$HEDDLE" help --tables >tables
missing <tables >gaps
expect "the pages are behind: $(cat gaps)" [ ! -s gaps ]
for option in --help --quiet --color; do
    expect "$option is not in heddle(1)" grep -qE -- "^- .*\`$option" "$docs/heddle.1.md"
done
for verb in $(cut -f1 tables | grep -v ' ' | sort -u); do
    expect "$verb is not in heddle(1)" grep -q "^- .*\`heddle $verb\`.*: .*heddle-" "$docs/heddle.1.md"
done
# The check itself sees a gap.
printf 'trace cat\t--nothing\ntrace dance\nplay\n' | missing >gaps
expect "the check is blind" [ "$(wc -l <gaps)" = 3 ]

# And the other way round: a page defines no option that its command does not have.
extra() {
    for page in "$docs"/heddle-*.1.md; do
        verb=$(basename "$page" .1.md) verb=${verb#heddle-}
        awk '/^## OPTIONS/ { on = 1; next } /^## / { on = 0 } on && /^- `-/ { sub(/: .*/, ""); print }' "$page" | grep -oE -- '--[a-z-]+' | sort -u |
            while IFS= read -r option; do
                case $option in --help | --quiet | --color) continue ;; esac
                grep -qE -- "^$verb( [a-z]+)?"$'\t'"$option\$" tables || echo "$page: $verb has no $option"
            done
    done
}
extra >gaps
expect "the pages are ahead: $(cat gaps)" [ ! -s gaps ]
grep -v -- $'run\t--times' tables >fewer && mv fewer tables
extra >gaps
expect "the check for options that are gone is blind" [ "$(wc -l <gaps)" -ge 1 ]

# Every exit code of the source is documented.
for number in $(sed -n 's/^ *HD_EXIT_[A-Z]* = \([0-9]*\),.*/\1/p' "$TESTS/../src/cli/cli.h"); do
    expect "exit code $number is not in heddle(1)" grep -q "^- \`$number\`: " "$docs/heddle.1.md"
done

pages=$(dirname "$HEDDLE")/man
for page in "$docs"/*.1.md; do
    name=$(basename "$page" .md)
    expect "$name was not built" [ -s "$pages/$name" ]
    expect "$name has no title" grep -q '^\.TH HEDDLE' "$pages/$name"
    if command -v groff >/dev/null; then
        groff -man -ww -Tascii "$pages/$name" >out 2>err
        expect_no_err
        expect_out "heddle"
    fi
done
printf '# x(1): y\n\n| a |\n' >table.md
awk -f "$TESTS/../scripts/man.awk" table.md >out 2>err && fail "man.awk takes a table"
expect_err "table.md:3: tables are not known"
finish
