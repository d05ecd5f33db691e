#!/usr/bin/env bash
# Structs with locks are looked for in the files that ran, and locks are called as if all files had been read
# (HEDDLE_ALL_TYPES), whatever kind of debug information and of symbols there is.
set -u
work=$TMP_DIR/record/types_of_files
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
    echo "FAIL types_of_files: $*; see $work" >&2
    exit 1
}
cat >box.h <<'END'
#include <pthread.h>
struct box { long n; pthread_mutex_t m; };
struct pair { int both; struct box left, right; };
struct slot { char used; pthread_mutex_t m; };
struct global { long n; pthread_mutex_t first; pthread_rwlock_t second; };
extern struct global global;
extern struct slot slots[];
struct hidden;
void hidden_lock(struct hidden *), hidden_unlock(struct hidden *);
struct hidden *hidden_new(void);
void use_box(struct box *), use_static(void);
END
# No code: its variables are all there is to it.
cat >variables.c <<'END'
#include "box.h"
struct global global = {0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
struct slot slots[200];
struct pair never;
END
cat >hidden.c <<'END'
#include "box.h"
#include <stdlib.h>
struct hidden { long n; pthread_mutex_t inside; };
struct hidden *hidden_new(void)
{
    struct hidden *h = calloc(1, sizeof *h);
    pthread_mutex_init(&h->inside, NULL);
    h->n = 1;
    return h;
}
void hidden_lock(struct hidden *h)
{
    pthread_mutex_lock(&h->inside);
    h->n++;
}
void hidden_unlock(struct hidden *h)
{
    pthread_mutex_unlock(&h->inside);
}
END
cat >used.c <<'END'
#include "box.h"
void use_box(struct box *b)
{
    pthread_mutex_lock(&b->m);
    b->n++;
    pthread_mutex_unlock(&b->m);
}
void use_static(void)
{
    static struct { int n; pthread_mutex_t lock; } mine = {0, PTHREAD_MUTEX_INITIALIZER};
    pthread_mutex_lock(&mine.lock);
    mine.n++;
    pthread_mutex_unlock(&mine.lock);
}
END
# Another box, of a file that does not run.
cat >unused.c <<'END'
#include <pthread.h>
struct box { pthread_mutex_t other; char text[100]; pthread_mutex_t more; };
void unused(struct box *b)
{
    pthread_mutex_lock(&b->more);
    b->text[0] = 1;
}
END
cat >library.c <<'END'
#include <pthread.h>
struct inner { int n; pthread_mutex_t lock; } inner = {0, PTHREAD_MUTEX_INITIALIZER};
void use_library(void)
{
    pthread_mutex_lock(&inner.lock);
    inner.n++;
    pthread_mutex_unlock(&inner.lock);
}
END
cat >main.c <<'END'
#include "box.h"
#include <dlfcn.h>
#include <stdlib.h>
void unused(void *);
static struct box *box;
static struct hidden *hidden;
static void (*library)(void);
static void *run(void *p)
{
    use_box(box);
    use_static();
    pthread_mutex_lock(&global.first);
    global.n++;
    pthread_mutex_unlock(&global.first);
    pthread_rwlock_rdlock(&global.second);
    pthread_rwlock_unlock(&global.second);
    hidden_lock(hidden);
    hidden_unlock(hidden);
    library();
    return p;
}
int main(int argc, char **argv)
{
    pthread_t t;
    void *lib = dlopen("./library.so", RTLD_NOW);
    *(void **)&library = lib ? dlsym(lib, "use_library") : NULL;
    box = calloc(1, sizeof *box);
    pthread_mutex_init(&box->m, NULL);
    hidden = hidden_new();
    if (argc > 5)
        unused(box);
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++) {
        pthread_mutex_lock(&slots[i].m);
        slots[i].used = 1;
        pthread_mutex_unlock(&slots[i].m);
    }
    pthread_create(&t, NULL, run, NULL);
    run(NULL);
    pthread_join(t, NULL);
    return 0;
}
END
locks='box.m global.first global.second hidden.inside inner.lock mine.lock slots[0].m'

# record NAME PROGRAM ARGUMENT...: NAME.txt is its trace, NAME.ALL.txt what it would be with all files read.
record() {
    local name=$1 how
    shift
    for how in RAN ALL; do # the stack begins below the environment
        env "HEDDLE_${how}_TYPES=1" "$HEDDLE" record -q -o "$name.$how" -- "$@" || fail "record $name"
        "$HEDDLE" trace cat "$name.$how" >"$name.$how.txt" || fail "cat $name"
    done
    mv "$name.RAN.txt" "$name.txt"
}
has() { # has NAME LOCK...
    local name=$1 lock
    shift
    for lock; do
        grep -qF "($lock" "$name.txt" || fail "$name: no lock is called $lock: $(grep -oE '(acq|racq)[(][^)]*' "$name.txt" | sort -u)"
    done
}
build() { # build NAME OPTION...
    local name=$1
    shift
    "$HEDDLE" cc -O1 -pthread "$@" main.c used.c hidden.c variables.c $with -o "$name" || fail "cc $name"
}
"$HEDDLE" cc -g -O1 -shared -fPIC -pthread library.c -o library.so || fail "cc library"
echo 'void unused(void *p) { (void)p; }' >plain.c
with=plain.c
for kind in -gdwarf-5 -gdwarf-4 "-gdwarf-5 -fdebug-types-section" "-gdwarf-5 -flto"; do
    name=plain$(tr -d ' ' <<<"$kind")
    build "$name" $kind
    record "$name" "./$name"
    has "$name" $locks
    cmp -s "$name.txt" "$name.ALL.txt" || fail "$name: $(diff "$name.txt" "$name.ALL.txt")"
done

# More variables than the runtime names.
record many ./plain-gdwarf-5 200
has many $locks 'slots[0].m' 'slots[199].m'
cmp -s many.txt many.ALL.txt || fail "many: $(diff many.txt many.ALL.txt)"

# Without the symbols that say what is in which file.
build nolocal -gdwarf-5 -Wl,--discard-all
record nolocal ./nolocal
has nolocal $locks
cmp -s nolocal.txt nolocal.ALL.txt || fail "nolocal: $(diff nolocal.txt nolocal.ALL.txt)"

# What does not run is not read: its box does not make the name ambiguous.
with=unused.c
build other -gdwarf-5
record other ./other
has other $locks
! grep -qF '(box.m' other.ALL.txt || fail "the two boxes are not both read"

# clang describes a class where its first virtual function is, which does not run here.
cat >conn.h <<'END'
#include <pthread.h>
struct conn {
    virtual void key();
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
};
struct holder {
    int n = 0;
    conn c;
};
END
cat >key.cpp <<'END'
#include "conn.h"
void conn::key() {}
void touch(holder *h) { h->n = 5; }
END
cat >conn.cpp <<'END'
#include "conn.h"
static void *run(void *p)
{
    holder *h = (holder *)p;
    pthread_mutex_lock(&h->c.m);
    h->n++;
    pthread_mutex_unlock(&h->c.m);
    return nullptr;
}
int main()
{
    pthread_t t;
    holder *h = new holder;
    pthread_create(&t, nullptr, run, h);
    run(h);
    pthread_join(t, nullptr);
    delete h;
}
END
"$HEDDLE" c++ -g -O1 -pthread conn.cpp key.cpp -o conn || fail "c++ conn"
record conn ./conn
has conn holder.c.m
cmp -s conn.txt conn.ALL.txt || fail "conn: $(diff conn.txt conn.ALL.txt)"
exit 0
