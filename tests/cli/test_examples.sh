#!/usr/bin/env bash
# Every example has the race that it is about, and no other; each is confirmed 20 of 20 times. Nothing is
# reported on the corrected twins.
. "$TESTS/cli/lib.sh" || exit 1
examples=$TESTS/../examples

# summary FILE: one line for each race: property status confirmed/tried variable kind kind
summary() {
    jq -r '.races | sort_by(.variable) | .[] |
        "\(.property) \(.status) \(.replays.confirmed)/\(.replays.tried) \(.variable) \(.accesses[0].kind) \(.accesses[1].kind)"' "$1"
}

# example NAME STATUS EXPECTED...: the lines of summary.
example() {
    local name=$1
    shift
    cp "$examples/$name.c" .
    heddle run --times 10 -o "$name" "$name.c"
    expect_code 66
    printf '%s\n' "$@" >"$name.expected"
    summary "$name/report.json" >"$name.races"
    expect "$name: $(diff "$name.expected" "$name.races")" cmp -s "$name.expected" "$name.races"
    cp "$examples/${name}_fixed.c" .
    heddle run --times 10 -o "${name}_fixed" "${name}_fixed.c"
    expect_code 0
    summary "${name}_fixed/report.json" >"$name.races"
    expect "${name}_fixed: $(cat "$name.races")" [ ! -s "$name.races" ]
    expect_err "heddle: 0 races confirmed, 0 predicted only"
    echo "$name" >>done
    echo "${name}_fixed" >>done
}

sure="race confirmed 20/20"
example hidden "$sure level write write"
example bank "$sure balance write read"
example double_checked "$sure config write read"
example missed_notify "$sure ready read write"
example half_built "$sure box.height write read" "$sure published write read"
example rwlock_writer "$sure lookups write read"
example refcount "$sure object.value read free"
example queue_index "$sure slots[1] write read"
example lazy_cache "$sure cache[2].known write write" "$sure cache[2].known write read" \
    "$sure cache[2].square read write" "$sure cache[2].square write write"
example stop_flag "$sure stop read write"
example lockfree_stack "$sure nodes[1].next write read"
example counter "$sure requests write read"
example flaky_test "$sure left write read"

# None was forgotten, here or in the list of examples.
command_line="ls examples"
expect "an example is not tested" diff <(sort done) <(cd "$examples" && ls -- *.c | sed 's/\.c$//' | sort)
for name in $(grep -v _fixed done); do
    expect "examples/README.md lacks $name" grep -q "^| \`$name.c\` |" "$examples/README.md"
done

# What happens shows: an assertion that fails in one order only, a lost value, a use after free.
heddle report -v half_built
expect_out "Assertion"
heddle report -v hidden
expect_out "-level 5 after 2 changes"
expect_out "+level 10 after 2 changes"
heddle report -v refcount
expect_out "(heap block (8 bytes) from refcount.c:"
finish
