# What hides or compares findings: baseline, rules that end, rules made for findings, comments in the source.
. "$TESTS/web/lib.sh" || exit 1
need jq
cd "$out" || exit 1
heddle() { code=0; "$HEDDLE" "$@" >stdout 2>stderr || code=$?; }
says() { tr -s ' \n' ' ' <"${2:-stdout}" | grep -qF -- "$1" || # lines are broken at 80 columns
    { fail "${2:-stdout} lacks: $1"; head -30 "${2:-stdout}"; }; }

# Baseline: one finding of the older report is not here any more, one here is not in it.
jq '.races |= map(select(.id != "R-2c91f07a")) | (.races[] | select(.id == "R-55e0a3b9")) |= (.id = "R-deadbeef") | .gone = []' bank.json >old.json
heddle report bank.json --baseline old.json
says 'Gone since the baseline: Deadlock around '
says ' [observed] R-deadbeef'
says ', 3 known, 1 gone, '
heddle report bank.json --baseline old.json -f json
expect "JSON has new, known and gone" jq -e '.baseline == "old.json" and [.gone[].id] == ["R-deadbeef"] and
    ([.races[] | select(.known | not) | .id] | sort) == ["R-2c91f07a", "R-55e0a3b9"]' stdout
heddle report bank.json --baseline old.json -f html
says '2 new, 3 known, 1 gone'
says '<table id="gone">'
heddle report bank.json --baseline bank.json
says ', 5 known, 0 gone, '
heddle report bank.json --baseline nowhere.json
[ $code = 3 ] || fail "a baseline that is not there: exit $code"

# Rules with a date, judged by SOURCE_DATE_EPOCH.
printf 'race_top:withdraw until:2026-06-30 reason:ticket 7\nid:R-55e0a3b9 until:never\n' >rules.supp
SOURCE_DATE_EPOCH=1782777600 heddle report bank.json -s rules.supp -f json   # 2026-06-30
expect "on its last day a rule holds" jq -e '.rules[-1].used == 4 and (.rules[-1] | .expired | not) and .rules[-1].reason == "ticket 7"' stdout
says 'rules.supp:2: the date behind until: is not like 2026-12-31; the line is left out' stderr
SOURCE_DATE_EPOCH=1782864000 heddle report bank.json -s rules.supp           # 2026-07-01
says 'Expired suppression: rules.supp:1: race_top:withdraw until:2026-06-30 reason:ticket 7'
says '2. deadlock on '
TSAN_OPTIONS="verbosity=1:suppressions='$out/rules.supp'" SOURCE_DATE_EPOCH=1 heddle report bank.json -f json
expect "TSAN_OPTIONS names rules" jq -e '[.races[].id] == ["R-55e0a3b9"]' stdout

# Rules for findings, and back again.
for which in all errors; do
    rm -f made.supp
    heddle report bank.json --gen-suppressions $which -o made.supp
    [ $code = 0 ] || fail "--gen-suppressions $which: exit $code"
    heddle report bank.json -s made.supp -f json
    [ $which = all ] && left='[]' || left='["R-a1a1a1a1","R-0b44d1ee"]'
    expect "the rules for $which hide just those" jq -e "([.races[].id] | sort) == ($left | sort)" stdout
done
heddle report bank.json --gen-suppressions=all
says 'id:R-7f3a9c12'
says '#race_top:^withdraw$ <-> ^withdraw$'
heddle report bank.json -f rules
says '#var:^balance$'
# A file of rules is somebody's work.
cp made.supp copy.supp
heddle report bank.json -o made.supp
[ $code = 4 ] && cmp -s made.supp copy.supp || fail "a file of rules is overwritten: exit $code"
heddle report bank.json --gen-suppressions=some
[ $code = 2 ] || fail "--gen-suppressions=some: exit $code"

# A comment in the source.
if [ -e "$(dirname "$HEDDLE")/lib/heddle" ] && command -v clang >/dev/null; then
    cat >count.c <<'C'
#include <pthread.h>
static int hits, misses;
static void *count(void *arg)
{
    hits++; // heddle:ignore a lost count does no harm
    misses++;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
C
    heddle run -t 1 --json=count.json --gen-suppressions=errors count.c
    [ $code = 66 ] || { fail "heddle run: exit $code"; cat stderr; }
    expect "only the other variable is reported" jq -e '([.races[].variable] | unique) == ["misses"] and .suppressed > 0' count.json
    expect "the comment is listed" jq -e '.rules == [.rules[] | select(.rule == "heddle:ignore" and .line == 5 and .reason == "a lost count does no harm" and .used > 0)]' count.json
    sed -n '/^# Suppressions by heddle/,$p' stderr >mine.supp
    heddle run -t 1 --baseline count.json -s mine.supp --json=again.json count.c
    [ $code = 0 ] || { fail "with the rules that it made: exit $code"; cat stderr; }
    # Rules that the program brings along, as for ThreadSanitizer; one line is none.
    sed 's|^int main|const char *__tsan_default_suppressions(void);\nconst char *__tsan_default_suppressions(void) { return "race:^count$\\nnonsense\\n# x\\nvar:nothing"; }\nint main|; s| // heddle.*||' count.c >own.c
    heddle run -t 1 --json=own.json own.c
    [ $code = 0 ] || { fail "with the rules of the program: exit $code"; cat stderr; }
    expect "the rules of the program count" jq -e '.races == [] and .suppressed == 2 and ([.rules[] | [.file, .line, .used]] == [["__tsan_default_suppressions", 1, 2], ["__tsan_default_suppressions", 4, 0]])' own.json
    says '__tsan_default_suppressions:2: there is no "type:" before the pattern; the line is left out' stderr
    expect "what is hidden is not gone" jq -e '.races == [] and .gone == [] and .baseline == "count.json"' again.json
fi
finish
