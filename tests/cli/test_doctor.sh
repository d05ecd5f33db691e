#!/usr/bin/env bash
# heddle doctor: every line ok here, failures told, the list of functions.
. "$TESTS/cli/lib.sh" || exit 1

mkdir temporary
TMPDIR=$work/temporary heddle doctor
expect_code 0
for what in compiler plugin runtime OpenMP solver kernel addresses 'mapped files' ptrace disk 'core files'; do
    grep -Eq "^$what +(ok|note) " out || fail "no good line for $what: $(cat out)"
done
[ -z "$(ls temporary)" ] || fail "a folder was left behind"

HEDDLE_CLANG=no-such-compiler heddle doctor
expect_code 77
grep -Eq "^compiler +FAIL .*no-such-compiler" out || fail "the compiler: $(cat out)"

TMPDIR=$work/nowhere heddle doctor
expect_code 77
grep -Eq "^plugin +FAIL .*TMPDIR" out || fail "the folder: $(cat out)"

heddle doctor --apis
expect_code 0
grep -Eq '^mutex +pthread_mutex_lock +arguments +acq$' out || fail "the list: $(head -3 out)"
grep -q '^openmp  *__kmpc_fork_call$' out || fail "OpenMP is not listed"
finish
