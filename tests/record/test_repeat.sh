#!/usr/bin/env bash
# The same seed gives the same trace, byte for byte, 100 times; other seeds give other orders.
set -u
work=$TMP_DIR/record/repeat
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
cat >many.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *list[8], n, racy;
static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        int *p = malloc(sizeof *p);
        *p = i;
        pthread_mutex_lock(&lock);
        free(list[n % 8]);
        list[n++ % 8] = p;
        pthread_mutex_unlock(&lock);
        racy++;
    }
    return arg;
}
static long *blocks[8];
static void *frees(void *arg)
{
    for (int i = 0; i < 8; i++)
        free(blocks[i]);
    return arg;
}
/* What libc leaves in blocks that a thread freed last before it ended. */
static long left_behind(void)
{
    pthread_t t;
    long sum = 0;
    for (int i = 0; i < 8; i++)
        blocks[i] = malloc(40);
    pthread_create(&t, NULL, frees, NULL);
    pthread_join(t, NULL);
    for (int i = 0; i < 8; i++) {
        blocks[i] = malloc(40);
        sum += blocks[i][1];
    }
    return sum;
}
int main(void)
{
    pthread_t t[3];
    volatile long sum = left_behind();
    (void)sum;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    pthread_detach(t[2]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
clang -g -fsanitize=thread -c many.c -o many.o &&
    clang -pthread many.o -o many -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || exit 1
for i in $(seq 100); do
    policies=(random pct sync)
    policy=${policies[$((i % 3))]}
    "$HEDDLE" record -q -o "$policy.hdt" --policy $policy --seed 42 --quantum 7 -- ./many || exit 1
    [ -e first-$policy.hdt ] || cp $policy.hdt first-$policy.hdt
    cmp first-$policy.hdt $policy.hdt || { echo "FAIL run $i of $policy differs" >&2; exit 1; }
done
# The same of a C++ program, built by gcc and by our pass: threads that end leave blocks behind for others.
cat >many.cpp <<'END'
#include <future>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
static std::mutex lock;
static std::map<int, std::string> table;
static void work(int n)
{
    for (int i = 0; i < 5; i++) {
        std::string text(20 + 10 * n + i, 'x');
        std::lock_guard<std::mutex> hold(lock);
        table[i] = text;
    }
    if (n == 2)
        throw std::runtime_error("two");
}
int main()
{
    std::vector<std::future<void>> results;
    for (int n = 0; n < 4; n++)
        results.push_back(std::async(std::launch::async, work, n));
    for (auto &r : results)
        try {
            r.get();
        } catch (const std::exception &) {
            table.clear();
        }
    std::thread([] { table[7] = std::string(100, 'y'); }).join();
    return table.size() > 6;
}
END
"$HEDDLE" c++ -O2 many.cpp -o many_pass &&
    g++ -g -O2 -fsanitize=thread -c many.cpp -o many.o &&
    g++ -pthread many.o -o many_gcc -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || exit 1
for i in $(seq 100); do
    how=$([ $((i % 2)) = 0 ] && echo pass || echo gcc)
    "$HEDDLE" record -q -o $how.hdt --policy random --seed 42 --quantum 7 -- ./many_$how || exit 1
    [ -e first-$how.hdt ] || cp $how.hdt first-$how.hdt
    cmp first-$how.hdt $how.hdt || { echo "FAIL run $i of C++ ($how) differs" >&2; exit 1; }
done
for seed in 1 2 3 4 5; do
    "$HEDDLE" record -q -o seed.hdt --policy random --seed $seed --quantum 7 -- ./many || exit 1
    "$HEDDLE" trace check seed.hdt >/dev/null || exit 1
    md5sum <seed.hdt
done | sort -u | [ "$(wc -l)" -eq 5 ] || { echo "FAIL seeds give the same runs" >&2; exit 1; }
