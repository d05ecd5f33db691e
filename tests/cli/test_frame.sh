#!/usr/bin/env bash
# Help, version, the option parser, suggestions, colour, HD_LOG.
. "$TESTS/cli/lib.sh" || exit 1
printf 'a|w(x,1)|p:1\n' >ok.trace

# Help fits one screen and names every verb; each command has help that fits 80 columns.
heddle --help
expect_code 0
expect_no_err
expect "help is longer than 24 lines" [ "$(wc -l <out)" -le 24 ]
expect "help is wider than 80 columns" [ "$(awk '{ if (length > m) m = length } END { print m }' out)" -le 80 ]
for verb in $("$HEDDLE" help --tables | cut -f1 | grep -v " " | sed "s/+/p/g" | sort -u); do
    expect "no word on $verb" grep -qE "^(  $verb |(Also:|     ).* $verb(,|\$))" <(sed "s/+/p/g" out)
done
expect "there are not 3 examples" [ "$(grep -c '^  heddle ' out)" = 3 ]
cp out root-help
heddle help
expect "help and --help differ" cmp -s out root-help
"$HEDDLE" help --tables | cut -f1 | sort -u | grep . >commands
expect "the tables are empty" [ "$(wc -l <commands)" -gt 8 ]
while read -r words; do
    # shellcheck disable=SC2086
    heddle help $words
    expect_code 0
    expect_out "heddle $words: "
    expect_out "Usage: heddle $words"
    expect "wider than 80 columns" [ "$(awk '{ if (length > m) m = length } END { print m }' out)" -le 80 ]
    cp out by-help
    expect "blanks at line ends" sh -c "! grep -q ' \$' out"
    # shellcheck disable=SC2086
    heddle $words --help
    expect_code 0
    expect "help VERB and VERB --help differ" cmp -s out by-help
done <commands
heddle trace gen -h
expect_out "--seed S"

heddle --version
expect_code 0
expect "the first line is not the version" grep -qE '^heddle [0-9]+\.[0-9]+\.[0-9]+$' out
expect "there is no build id" grep -qE '^build-id [0-9a-f]{16,}$' out

# Usage errors suggest what was meant.
heddle; expect_usage "a command is missing"
heddle trce; expect_usage "unknown command 'trce'; did you mean 'trace'?"
heddle zzzzzz; expect_usage "unknown command 'zzzzzz'"
expect "a far word is suggested" sh -c '! grep -q "did you mean" err'
heddle trace; expect_usage "trace: a command is missing"
heddle trace chekc ok.trace; expect_usage "trace: unknown command 'chekc'; did you mean 'check'?"
heddle --versoin; expect_usage "unknown option '--versoin'; did you mean '--version'?"
heddle trace stats --jsno ok.trace; expect_usage "unknown option '--jsno'; did you mean '--json'?"
heddle trace stats --js ok.trace; expect_usage "unknown option '--js'; did you mean '--json'?"
heddle trace stats -Z ok.trace; expect_usage "unknown option '-Z'"
heddle trace check; expect_usage "missing argument: heddle trace check FILE"
heddle trace check ok.trace two; expect_usage "unexpected argument 'two'"
heddle trace convert ok.trace; expect_usage "missing argument: heddle trace convert IN OUT"
heddle trace gen --seed; expect_usage "--seed needs an argument: --seed S"
heddle trace gen --seed x1; expect_usage "--seed: 'x1' is not a number"
heddle trace gen --seed -1; expect_usage "--seed: '-1' is not a number"
heddle trace gen --seed 99999999999999999999; expect_usage "is not a number"
heddle trace gen --seed ''; expect_usage "--seed: '' is not a number"
heddle trace gen --threads 0; expect_usage "--threads: 0 is not between 1 and 4096"
heddle trace gen --threads 5000; expect_usage "--threads: 5000 is not between 1 and 4096"
heddle trace gen --with sme; expect_usage "--with: unknown feature 'sme'; did you mean 'sem'?"
heddle trace gen --style program --threads 1; expect_usage "threads must be between 2 and 4096"
heddle trace gen --style programme; expect_usage "--style: 'programme' is not one of random|program"
heddle trace check --help=yes ok.trace; expect_usage "--help takes no argument"
heddle record --timeout soon ./x; expect_usage "--timeout wants a time like 10s, 500ms or 5m, not 'soon'"
heddle explore --timeout 0 ./x; expect_usage "--timeout wants a time"
heddle trace cat --from 0 ok.trace; expect_usage "--from: 0 is below 1"
heddle --color=pink trace check ok.trace; expect_usage "--color: 'pink' is not one of auto|always|never"
heddle completion tcsh; expect_usage "unknown shell 'tcsh'"
heddle completion bsh; expect_usage "did you mean 'bash'?"
heddle help trace chek; expect_usage "no help on 'chek'; did you mean 'check'?"
heddle witness check - -; expect_usage "only one of TRACE and WITNESS"

# All spellings of an option mean the same.
heddle trace gen --seed 10000; cp out want
for spelling in "--seed=10000" "--seed 10k" "-s10000" "-s 0x2710" "-q -s10k" "-qs10k"; do
    # shellcheck disable=SC2086
    heddle trace gen $spelling
    expect_code 0
    expect "differs from --seed 10000" cmp -s out want
done
heddle -q trace check ok.trace; expect_code 0
heddle trace check -- ok.trace; expect_code 0
heddle trace stats ok.trace --json; expect_code 0; expect_out '"schema": "heddle-trace-stats-1"'
heddle trace stats --json=stats.json ok.trace; expect_code 0; expect_out "events"
expect "--json=FILE writes no JSON" jq -e '.schema == "heddle-trace-stats-1"' stats.json
heddle trace stats --json=nowhere/x.json ok.trace; expect_code 4; expect_err "nowhere/x.json"
heddle trace enumerate --json=races.json ok.trace; expect "no JSON of the races" jq -e .schema races.json
heddle analyze --json=all.json ok.trace
expect "no JSON of the analysis" jq -e '.schema == "heddle-analysis-1"' all.json
expect_out "pairs of source places"
cp ok.trace ./--json
heddle trace check -- --json; expect_code 0; expect_out "--json: consistent"

# Colour.
esc=$(printf '\033[')
colours() { grep -qF "$esc" out; }
plain() { ! colours; }
heddle trace check ok.trace; expect "colour in a file" plain
heddle trace check --color=always ok.trace; expect "--color=always" colours
heddle trace check --color always ok.trace; expect "--color always" colours
CLICOLOR_FORCE=1 heddle trace check ok.trace; expect "CLICOLOR_FORCE" colours
CLICOLOR_FORCE=0 heddle trace check ok.trace; expect "CLICOLOR_FORCE=0" plain
CLICOLOR_FORCE=1 NO_COLOR=1 heddle trace check ok.trace; expect "NO_COLOR beats CLICOLOR_FORCE" plain
CLICOLOR_FORCE=1 NO_COLOR='' heddle trace check ok.trace; expect "an empty NO_COLOR says nothing" colours
NO_COLOR=1 heddle trace check --color=always ok.trace; expect "--color beats NO_COLOR" colours
CLICOLOR_FORCE=1 heddle trace check --color=never ok.trace; expect "--color beats CLICOLOR_FORCE" plain
on_terminal() { # on_terminal TERM [VARIABLE=VALUE...]: what a terminal shows
    command_line="on a terminal: $*"
    local term=$1
    shift
    env TERM="$term" "$@" script -qec "'$HEDDLE' trace check ok.trace" /dev/null >out 2>err </dev/null
}
on_terminal xterm; expect "colour on a terminal" colours
on_terminal dumb; expect "no colour on a dumb terminal" plain
on_terminal xterm NO_COLOR=1; expect "NO_COLOR on a terminal" plain

# The log of the developers.
HD_LOG=modle:debug heddle help; expect_code 2; expect_err "HD_LOG: unknown log room 'modle'; did you mean 'model'?"
HD_LOG=model:loud heddle help; expect_code 2; expect_err "unknown log level 'loud'"
HD_LOG=all:debug,trace:off heddle help; expect_code 0
finish
