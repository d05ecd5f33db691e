#!/usr/bin/env bash
# Shared memory that is mapped at several addresses is one memory: its races are found and confirmed, its locks lock. Other files,
# other parts and private mappings are other memory. Memory that processes share is not looked at across them, and that is said.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
work=$TMP_DIR/record-views
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0
fail() { echo "$*"; failed=1; }

cat >views.c <<'SOURCE'
/* Shared memory at several addresses. The first argument says how it is mapped, the second whether
 * the threads agree on a lock (1), a semaphore (2) or a futex (3). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 8192

struct page {
    pthread_mutex_t lock;
    sem_t turn;
    unsigned word;
    int value;
};

static struct page *seen[2];
static int locked;

static void *work(void *arg)
{
    struct page *p = arg;
    if (locked == 1)
        pthread_mutex_lock(&p->lock);
    if (locked == 2)
        while (sem_wait(&p->turn))
            ;
    if (locked == 3 && p == seen[0])
        while (!__atomic_load_n(&p->word, __ATOMIC_ACQUIRE))
            syscall(SYS_futex, &p->word, FUTEX_WAIT, 0, NULL, NULL, 0);
    p->value++;
    if (locked == 3 && p != seen[0]) {
        __atomic_store_n(&p->word, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &p->word, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    if (locked == 1)
        pthread_mutex_unlock(&p->lock);
    if (locked == 2)
        sem_post(&p->turn);
    return NULL;
}

static void *map(int fd, int flags, off_t offset)
{
    void *p = mmap(NULL, SIZE / 2, PROT_READ | PROT_WRITE, flags, fd, offset);
    return p == MAP_FAILED ? exit(3), p : p;
}

static int file(void)
{
    int fd = memfd_create("views", 0);
    if (fd < 0 || ftruncate(fd, SIZE))
        exit(3);
    return fd;
}

static void look(const char *how)
{
    int fd = file();
    seen[0] = map(fd, MAP_SHARED, 0);
    if (!strcmp(how, "twice"))
        seen[1] = map(fd, MAP_SHARED, 0);
    else if (!strcmp(how, "files"))
        seen[1] = map(file(), MAP_SHARED, 0);
    else if (!strcmp(how, "private"))
        seen[1] = map(fd, MAP_PRIVATE, 0);
    else if (!strcmp(how, "offset"))
        seen[1] = map(fd, MAP_SHARED, SIZE / 2);
    else if (!strcmp(how, "anonymous"))
        seen[1] = map(-1, MAP_SHARED | MAP_ANONYMOUS, 0);
    else if (!strcmp(how, "again")) /* the kernel's way to have a mapping twice */
        seen[1] = mremap(seen[0], 0, SIZE / 2, MREMAP_MAYMOVE);
    else if (!strcmp(how, "ring")) { /* the end of the one is the beginning of the other */
        char *at = mmap(NULL, 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int i = 0; i < 2; i++)
            mmap(at + i * SIZE, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
        seen[0] = (void *)(at + SIZE - 64);
        seen[1] = (void *)((char *)seen[0] + SIZE);
    } else if (!strcmp(how, "trimmed") || !strcmp(how, "covered")) { /* a part of the mapping goes */
        char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        seen[0] = (void *)(at + SIZE / 2);
        seen[1] = map(fd, MAP_SHARED, SIZE / 2);
        if (*how == 't')
            munmap(at, SIZE / 2);
        else
            mmap(at, SIZE / 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    } else if (!strcmp(how, "zero")) { /* each mapping of it is memory of its own */
        int zero = open("/dev/zero", O_RDWR);
        for (int i = 0; i < 2; i++)
            seen[i] = map(zero, MAP_SHARED, 0);
        close(zero);
    } else if (!strcmp(how, "segment")) {
        int id = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
        for (int i = 0; i < 2; i++)
            seen[i] = shmat(id, NULL, 0);
        shmctl(id, IPC_RMID, NULL);
    }
}

/* Each thread maps the memory, uses it and gives it back. */
static void *visit(void *arg)
{
    struct page *p = map(*(int *)arg, MAP_SHARED, 0);
    if (locked) {
        sched_yield();
        pthread_mutex_lock(&p->lock);
    }
    p->value++;
    if (locked)
        pthread_mutex_unlock(&p->lock);
    munmap(p, SIZE / 2);
    return NULL;
}

/* A lock that is held while another part of the mapping goes. */
static void *hold(void *arg)
{
    struct page *p = arg;
    pthread_mutex_lock(&p->lock);
    sem_post(&p->turn);
    p->value++;
    sched_yield();
    p->value++;
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static int trim_under_lock(bool cover)
{
    pthread_t t;
    char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file(), 0);
    struct page *p = (void *)at;
    pthread_mutex_init(&p->lock, NULL);
    sem_init(&p->turn, 0, 0);
    pthread_create(&t, NULL, hold, p);
    sem_wait(&p->turn);
    if (cover)
        mmap(at + SIZE / 2, SIZE / 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    else
        munmap(at + SIZE / 2, SIZE / 2);
    pthread_mutex_lock(&p->lock);
    p->value++;
    pthread_mutex_unlock(&p->lock);
    pthread_join(t, NULL);
    return p->value != 3;
}

static int fork_with(const char *how)
{
    bool later = !strcmp(how, "protected"); /* written by the child, but mapped to be read only */
    struct page *p = later ? mmap(NULL, SIZE / 2, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                           : map(-1, MAP_SHARED | MAP_ANONYMOUS, 0);
    if (later)
        mprotect(p, SIZE / 2, PROT_READ | PROT_WRITE);
    pid_t child = fork();
    if (!child && strcmp(how, "untouched"))
        p->value++;
    if (!child)
        _exit(0);
    p->value++;
    waitpid(child, NULL, 0);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    int fds[2];
    const char *how = argc > 1 ? argv[1] : "twice";
    locked = argc > 2 ? atoi(argv[2]) : 0;
    if (!strcmp(how, "touched") || !strcmp(how, "untouched") || !strcmp(how, "protected"))
        return fork_with(how);
    if (!strcmp(how, "held") || !strcmp(how, "held-covered"))
        return trim_under_lock(how[4] == '-');
    bool visits = !strncmp(how, "visit", 5);
    fds[0] = fds[1] = file();
    if (!strcmp(how, "visit-files"))
        fds[1] = file();
    if (!visits) {
        look(how);
        pthread_mutex_init(&seen[0]->lock, NULL);
        sem_init(&seen[0]->turn, 0, 1);
        if (seen[1]->value != seen[0]->value)
            return 3;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, visits ? visit : work, visits ? (void *)&fds[i] : seen[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SOURCE

expect() { # CODE CONFIRMED ARGUMENTS...
    local want=$1 confirmed=$2 code=0
    shift 2
    timeout 60 "$HEDDLE" run -- ./views "$@" >out 2>err || code=$?
    [ $code = "$want" ] || { fail "$flag views $*: exit code $code, expected $want"; head -12 err; }
    grep -q "^heddle: [$confirmed] races\{0,1\} confirmed, 0 predicted" err || { fail "$flag views $*: not confirmed"; tail -4 err; }
}

for flag in -O0 -O2; do
    "$HEDDLE" cc -g $flag views.c -o views -pthread || exit 1
    for how in twice again ring trimmed covered segment; do
        expect 66 12 $how
        for lock in 1 2 3; do expect 0 0 $how $lock; done
    done
    for how in files private offset anonymous zero held held-covered visit-files; do expect 0 0 $how; done
    expect 66 12 visit
    expect 0 0 visit 1 # each its own address of the lock, and the first is gone before the second is used
    expect 0 0 untouched
    expect 5 0 protected
    expect 5 0 touched
    tr '\n' ' ' <err | tr -s ' ' | grep -q "but processes share memory; only races within one of them are looked for" ||
        fail "$flag: what is not looked for is not said"
    code=0
    timeout 60 "$HEDDLE" explore --budget 5s -- ./views twice >out 2>err || code=$?
    [ $code = 66 ] || fail "$flag: explore of views twice: exit code $code"
done
exit $failed
