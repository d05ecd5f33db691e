#!/usr/bin/env bash
# heddle explore, strategy dpor: how many schedules small programs have, by hand and by brute force.
set -u
dir=$TMP_DIR/dpor
mkdir -p "$dir"
"$HEDDLE" cc -g -O1 "$SOURCE/programs.c" -o "$dir/programs" || exit 1
failed=0

# expect "ARGS" SCHEDULES "ENDS" "FOUND": each schedule once, as many as there are.
expect() {
    # shellcheck disable=SC2086
    got=$("$COUNT" dpor "$dir/programs" $1 2>&1)
    want="schedules $2 classes $2 twice 0 end=$3 found=$4 complete"
    [ "$got" = "$want" ] && return
    printf '%s\n  expected %s\n  got      %s\n' "$1" "$want" "$got"
    failed=1
}

# The same against every order of every step: as many classes, with the same ends.
brute() {
    expect "$@"
    # shellcheck disable=SC2086
    got=$("$COUNT" all "$dir/programs" $1 2>&1 |
        sed -E 's/schedules [0-9]+ (classes [0-9]+) twice [0-9]+ /\1 /; s/ found=[^ ]*//')
    want="classes $2 end=$3 complete"
    [ "$got" = "$want" ] && return
    printf '%s, without reduction\n  expected %s\n  got      %s\n' "$1" "$want" "$got"
    failed=1
}

# n threads write one atomic: n!; own ones: 1; one writer and n - 1 readers: 2^(n-1).
brute "writers 2" 2 exit:2 ""
brute "writers 3" 6 exit:6 ""
expect "writers 5" 120 exit:120 ""
brute "independent 3" 1 exit:1 ""
brute "readers 3" 4 exit:4 ""
expect "readers 6" 32 exit:32 ""

# Locks: the order of the sections; two locks, each with an order of its own; a lock order cycle.
brute "sections 2" 2 exit:2 ""
expect "sections 4" 24 exit:24 ""
brute "two 2" 4 exit:4 ""
brute "crossed 2" 3 exit:2,deadlock:1 deadlock:1
# Before, while or after the other one holds it.
brute "try 2" 3 exit:3 ""
brute "timed 2" 3 exit:3 ""
# Readers do not exclude each other.
brute "rwlock 2" 2 exit:2 ""
expect "rwlock 4" 8 exit:8 ""

# Sequential consistency: not both read 0.
brute "buffer 2" 3 exit:3 ""
# Reads and writes of x++ twice: one after the other, or both read first.
brute "increment 2" 4 exit:4 race:2

# Condition variables. The waiter comes first or last.
brute "flag 2" 2 exit:2 ""
# A signal wakes any of the waiters, if there is one; whoever is not woken waits until the end.
brute "notify 2" 2 exit:2 ""
brute "notify 3" 10 exit:10 ""
brute "broadcast 3" 10 exit:10 ""
# Notified, too late, or its time is up before.
brute "while 2" 3 exit:3 ""

# Semaphores: who is first; a wait after one of two posts, or after both.
brute "token 2" 2 exit:2 ""
expect "token 3" 6 exit:6 ""
brute "hand 3" 3 exit:3 ""
# Arrivals are ordered: the last one is told so.
brute "barrier 2" 2 exit:2 ""
brute "pipe 2" 2 exit:2 ""
# Who does the work. Whether the other one comes while it is done or later is no step.
expect "once 2" 2 exit:2 ""
expect "barrier 3" 6 exit:6 ""

# Memory that is used again is other memory. What a thread reads decides what it does.
brute "heap 2" 1 exit:1 ""
brute "branch 2" 2 exit:2 ""
# Threads that threads create.
brute "creator 2" 2 exit:2 ""
expect "creator 3" 6 exit:6 ""
expect "join 3" 12 exit:12 ""

# Published: lastzero(n) has (n + 3) 2^(n-2) schedules, with n writers; indexer has 1 up to 11
# threads and 8 for 12, file-system 1 up to 13 and 2 for 14.
brute "lastzero 3" 5 exit:5 ""
expect "lastzero 4" 12 exit:12 ""
expect "lastzero 5" 28 exit:28 ""
expect "lastzero 6" 64 exit:64 ""
expect "indexer 11" 1 exit:1 ""
expect "indexer 12" 8 exit:8 ""
expect "files 13" 1 exit:1 ""
expect "files 14" 2 exit:2 ""

# The same with executions beside each other: the same schedules in the same order.
export JOBS=3
expect "writers 4" 24 exit:24 ""
expect "lastzero 5" 28 exit:28 ""
expect "crossed 2" 3 exit:2,deadlock:1 deadlock:1
expect "notify 3" 10 exit:10 ""
unset JOBS

# In shares: together as many, each once. What the guess for the top of the tree has not may be run
# by two shares; timed 2 has such a thread, and only one share finds it.
shares() {
    local sum=0 most=0 i got
    for ((i = 0; i < $2; i++)); do
        # shellcheck disable=SC2086
        got=$(SHARE=$i/$2 "$COUNT" dpor "$dir/programs" $1 2>&1)
        case $got in *complete) ;; *) echo "$1, share $i of $2: $got"; failed=1 ;; esac
        got=${got#schedules } got=${got%% *}
        sum=$((sum + got)) most=$((got > most ? got : most))
    done
    [ $sum = "$3" ] && [ $most -le "$4" ] && return
    printf '%s in %s shares: %s schedules, at most %s, instead of %s, %s\n' "$1" "$2" $sum $most "$3" "$4"
    failed=1
}
shares "writers 5" 5 120 30
shares "lastzero 5" 3 28 14
shares "notify 3" 2 10 5
shares "timed 2" 2 3 2
shares "crossed 2" 2 3 2

# Random programs: as many as there are without reduction.
for seed in 1 3 8 11 20 25 27 30; do
    # shellcheck disable=SC2086
    got=$("$COUNT" dpor "$dir/programs" random 2 $seed | sed 's/ found=[^ ]*//')
    all=$("$COUNT" all "$dir/programs" random 2 $seed |
        sed -E 's/schedules [0-9]+ classes ([0-9]+) twice [0-9]+/schedules \1 classes \1 twice 0/; s/ found=[^ ]*//')
    case $got in *complete) [ "$got" = "$all" ] && continue ;; esac
    printf 'random 2 %s\n  reduced  %s\n  all      %s\n' "$seed" "$got" "$all"
    failed=1
done

# Crashes do not keep the other threads from going on.
brute "assert 2" 2 exit:1,crash:1 assertion:1
brute "crash 2" 1 crash:1 crash:1
# Two threads crash at the same address: an order, and a race.
expect "crash 3" 2 crash:2 race:1,crash:1

# What cuts a search is said.
cut() {
    # shellcheck disable=SC2086
    got=$(env "$1" "$COUNT" dpor "$dir/programs" $2 2>&1)
    case $got in
    *complete* | *"${got%%"$3"*}") ;;
    *"$3") return ;;
    esac
    printf '%s %s\n  expected ... %s\n  got      %s\n' "$1" "$2" "$3" "$got"
    failed=1
}
cut RUNS=3 "writers 3" "the number of executions is used up"
cut BOUND=0 "writers 3" "the bound on preemptions left schedules out"
cut STEPS=300 "spin 2" "an execution was cut: it has too many steps"
# So is what the order of steps does not take into account.
cut RUNS=99 "foreign 2" "a thread released a lock that another one held"
cut RUNS=99 "unmap 2" "memory was unmapped or protected while other threads could use it"
cut RUNS=99 "protect 2" "memory was unmapped or protected while other threads could use it"
cut RUNS=99 "futex 2" "the program wakes threads by the system call futex"
cut RUNS=99 "assembly 2" "is not known, such as inline assembly"
got=$("$COUNT" dpor /bin/true 2>&1)
case $got in *"is not instrumented"*) ;; *)
    echo "/bin/true: $got"
    failed=1
    ;;
esac
exit $failed
