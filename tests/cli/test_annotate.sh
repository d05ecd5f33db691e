#!/usr/bin/env bash
# heddle annotate: the source of a finding, with accesses and locks in the margin.
. "$TESTS/cli/lib.sh" || exit 1
cp "$TESTS/../examples/hidden.c" .
heddle annotate
expect_code 3
expect_err "there is no run here yet"
heddle run --times 1 --runs 1 hidden.c
id=$(jq -r '.races[0].id' heddle-out/1/report.json)
heddle annotate "$id"
expect_code 0
expect_no_err
expect_out "$id"
expect_out "T1.1 takes lock         >   15 |     pthread_mutex_lock(&lock);"
expect_out "T1.1 write [lock]       >   16 |     level = 10;"
expect_out "T1.2 write [no lock]    >   27 |     level = 5; "
expect "lines that both pieces have are shown $(grep -c '   22 | ' out) times" [ "$(grep -c '   22 | ' out)" = 1 ]
expect "more than 80 columns" sh -c "! grep -nE '.{81}' out"
cp out first
heddle annotate --run heddle-out/1
expect "without an id it is another one" cmp out first

# ---- both accesses on one line; a lock that is taken far away; a source that the report lacks ----
cat >same.c <<'C'
#include <pthread.h>
static pthread_mutex_t far = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void enter(int own) { if (own) pthread_mutex_lock(&far); }
C
seq 20 | sed 's/.*/\/* & *\//' >>same.c
cat >>same.c <<'C'
static void *work(void *arg)
{
    enter(arg != 0);
    count++;
    if (arg) pthread_mutex_unlock(&far);
    return 0;
}
int main(void) { pthread_t a, b; pthread_create(&a, 0, work, &a); pthread_create(&b, 0, work, 0);
    pthread_join(a, 0); pthread_join(b, 0); return 0; }
C
heddle run --times 1 --runs 1 -o same same.c
heddle annotate --run same
expect_code 0
expect "not both accesses are marked" [ "$(grep -cE '^T1\.[12] (read|write) \[(far|no lock)\] ' out)" = 2 ]
expect "the line is there $(grep -c 'count++' out) times" [ "$(grep -c '|     count++' out)" = 1 ]
expect_out "T1.1 takes far at same.c:4:"
jq '.races[0].accesses[].source = {first: 0, lines: [], missing: "the file is gone"}' same/report.json >bare.json
heddle annotate --run bare.json
expect_code 0
expect_out "same.c:28:10: the file is gone"

# ---- refusals ----
heddle annotate R-
expect_usage "'R-' is no id such as R-7f3a9c"
heddle annotate R-000000
expect_code 3
expect_err "has no race R-000000"
finish
