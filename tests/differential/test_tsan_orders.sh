#!/usr/bin/env bash
# Random programs with atomics of all memory orders under ThreadSanitizer and under Heddle: each race that
# ThreadSanitizer sees is reported by Heddle, simultaneous, unordered or as what follows from another one, and what
# Heddle reports as a race happens when it is replayed. Fences are left out: ThreadSanitizer does not know them.
# A chain of threads hands data on by flags, each set and read with orders of its own; some programs have flags of 16 or
# of 2 bytes. (-mcx16: ThreadSanitizer does not know the calls of libatomic.)
# HEDDLE_TEST_SEEDS="FROM TO" chooses the programs. HEDDLE, TMP_DIR are in the environment.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
read -r from to <<<"${HEDDLE_TEST_SEEDS:-1 8}"
work=$TMP_DIR/differential-tsan-orders
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1

# bash seeds RANDOM anew in each subshell, so the generator has none: what is picked is left in $it.
pick() { # one of the arguments
    shift $((RANDOM % $#))
    it=$1
}

touches() { # some accesses to the data
    local i
    for i in 0 1 2; do
        [ $((RANDOM % 3)) -eq 0 ] || { pick "d[$i] = $RANDOM;" "d[$i]++;" "out += d[$i];" && echo "    $it"; }
    done
}

waits() { # for flag $1, with an operation and an order of its own
    local load rmw swap
    pick relaxed acquire acquire consume seq_cst && load=$it
    pick relaxed acquire release acq_rel seq_cst && rmw=$it
    pick relaxed acquire acq_rel && swap=$it
    [ -z "$right" ] || { pick acquire seq_cst && load=$it && pick acquire acq_rel seq_cst && rmw=$it && pick acquire acq_rel && swap=$it; }
    pick "atomic_load_explicit(&f[$1], O($load))" "atomic_fetch_add_explicit(&f[$1], 0, O($rmw))" \
        "atomic_compare_exchange_strong_explicit(&f[$1], &old, 2, O($swap), O(relaxed))"
    echo "    while (old = 1, !$it) {}"
}

signals() { # by flag $1
    local store swap
    pick relaxed release release seq_cst && store=$it
    pick relaxed acquire release acq_rel && swap=$it
    [ -z "$right" ] || { pick release seq_cst && store=$it && pick release acq_rel && swap=$it; }
    pick "atomic_store_explicit(&f[$1], 1, O($store));" "atomic_exchange_explicit(&f[$1], 1, O($swap));"
    echo "    $it"
    [ $((RANDOM % 3)) -ne 0 ] || { pick relaxed acq_rel && echo "    atomic_fetch_or_explicit(&f[$1], 1, O($it));"; }
}

generate() { # N threads; RIGHT: not empty, if all orders are strong enough but those that only hand on
    local n=$1 right=$2 i type=int
    case $((seed % 5)) in 2) type="unsigned __int128" ;; 4) type=short ;; esac
    echo '#include <pthread.h>
#include <stdatomic.h>
#define O(x) memory_order_##x
int d[3];'
    echo "typedef $type flag;
_Atomic flag f[4];"
    for i in $(seq "$n"); do
        echo "static void *t$i(void *arg) {"
        echo "    int out = 0; flag old = 0;"
        [ "$i" -eq 1 ] || waits $((i - 1))
        touches
        signals "$i"
        [ $((RANDOM % 4)) -ne 0 ] || [ -n "$right" ] || touches
        echo '    (void)old;
    return out ? arg : 0;
}'
    done
    echo 'int main(void) {
    pthread_t t[4];'
    for i in $(seq "$n"); do echo "    pthread_create(&t[$i], 0, t$i, 0);"; done
    for i in $(seq "$n"); do echo "    pthread_join(t[$i], 0);"; done
    echo '    return 0;
}'
}

tsan_pairs() { # from ThreadSanitizer's reports: "LOW HIGH", the lines of the two accesses
    awk '/WARNING: ThreadSanitizer: data race/ { n = 0; race = 1 }
         race && /^    #0 / { if (match($0, /p\.c:[0-9]+/)) line[n++] = substr($0, RSTART + 4, RLENGTH - 4) + 0
                              if (n == 2) { race = 0
                                  print (line[0] < line[1]) ? line[0] " " line[1] : line[1] " " line[0] } }'
}

heddle_pairs() {
    jq -r '.races[] | ([.accesses[].line], ((.follows // [])[] | [match("p\\.c:([0-9]+)"; "g").captures[0].string | tonumber]))
           | sort | map(tostring) | join(" ")' heddle-out/latest/report.json
}

failed=0 seen=0 unordered=0
for seed in $(seq "$from" "$to"); do
    RANDOM=$seed
    mkdir "$seed" && cd "$seed" || exit 1
    generate $((2 + seed % 2)) "" >p.c
    clang -g -O0 -mcx16 -pthread -fsanitize=thread p.c -o tsan 2>/dev/null || exit 77
    for _ in 1 2; do timeout 60 ./tsan 2>&1 >/dev/null; done | tsan_pairs | sort -u >tsan.pairs
    "$HEDDLE" cc -g -O0 p.c -o heddle -latomic 2>build.err || { cat build.err; exit 1; }
    timeout 120 "$HEDDLE" run --times 1 -- ./heddle >run.out 2>run.err </dev/null
    code=$?
    case $code in 0 | 66) ;; *) echo "seed $seed: heddle run ends with $code: $(tail -2 run.err)"; failed=1 ;; esac
    heddle_pairs | sort -u >heddle.pairs
    missed=$(comm -23 tsan.pairs heddle.pairs)
    [ -z "$missed" ] || { echo "seed $seed: ThreadSanitizer alone sees lines $missed"; failed=1; }
    apart=$(jq -r '.races[] | select(.status != "confirmed") | .id + " " + .status + " " + (.reason // "")' heddle-out/latest/report.json)
    [ -z "$apart" ] || { echo "seed $seed: not confirmed: $apart"; failed=1; }
    seen=$((seen + $(wc -l <tsan.pairs)))
    unordered=$((unordered + $(jq '[.races[] | select(.form == "unordered")] | length' heddle-out/latest/report.json)))
    cd ..
done

# With the right orders nothing is reported, and everything is decided: read-modify-writes of any order hand on.
for seed in $(seq "$from" "$to"); do
    RANDOM=$seed
    mkdir "right$seed" && cd "right$seed" || exit 1
    generate 3 right >p.c
    "$HEDDLE" cc -g -O0 p.c -o heddle -latomic 2>build.err || { cat build.err; exit 1; }
    timeout 120 "$HEDDLE" run --runs 2 -- ./heddle >run.out 2>run.err </dev/null
    code=$?
    [ $code -eq 0 ] || { echo "seed $seed, right orders: heddle run ends with $code: $(grep -E '^[0-9]+\.|undecided' run.out)"; failed=1; }
    cd ..
done
echo "seeds $from to $to: $seen pairs of lines seen by ThreadSanitizer; $unordered unordered races reported and confirmed"
[ "$seen" -gt 0 ] && [ "$unordered" -gt 0 ] || { echo "the comparison says nothing"; failed=1; }
exit $failed
