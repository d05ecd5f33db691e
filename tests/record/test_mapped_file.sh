#!/usr/bin/env bash
# A file that is mapped and written with calls: such a write is an access of the thread that made the call, and of no other.
# Environment: HEDDLE, TMP_DIR.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
work=$TMP_DIR/record-mapped-file
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0
fail() { echo "$*"; failed=1; }

cat >mapped.c <<'SOURCE'
/* One thread writes a file, two read it where it is mapped. First argument: how; second: whether under
 * a lock (1), or what is read tells the only reader that the writer is done with `data` (2). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096
#define AT   (PAGE + 100) /* what is written; its byte 2 is looked at */

void without_hooks(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const volatile char *seen;
static const char *how;
static FILE *stream;
static char before;
static int fd, locked, told, parts, data;

static int write_it(void)
{
    struct iovec both[] = {{"a", 1}, {"bcd", 3}};
    if (!strcmp(how, "write"))
        return write(fd, "abcd", 4) == 4;
    if (!strcmp(how, "writev"))
        return writev(fd, both, 2) == 4;
    if (!strcmp(how, "pwrite"))
        return pwrite(fd, "abcd", 4, AT) == 4;
    if (!strcmp(how, "pwrite64"))
        return pwrite64(fd, "abcd", 4, AT) == 4;
    if (!strcmp(how, "pwritev"))
        return pwritev(fd, both, 2, AT) == 4;
    if (!strcmp(how, "beside")) /* ends before what is looked at */
        return pwrite(fd, "ab", 2, AT) == 2 && pwrite(fd, "d", 1, AT + 3) == 1;
    if (!strcmp(how, "append"))
        return pwrite(open("file", O_WRONLY | O_APPEND), "abcd", 4, 0) == 4;
    if (!strcmp(how, "large")) { /* the other threads do not run meanwhile */
        static char all[8 * PAGE];
        memset(all, 'x', sizeof all);
        return pwrite(fd, all, sizeof all, 0) == sizeof all;
    }
    if (!strcmp(how, "stream")) /* not seen, though the functions have models */
        return fputs("abcd", stream) >= 0 && !fflush(stream);
    return ftruncate(fd, 0) == 0 && ftruncate(fd, 8 * PAGE) == 0; /* neither */
}

static void *writer(void *arg)
{
    if (locked)
        pthread_mutex_lock(&lock);
    data = 1;
    if (!write_it())
        exit(3);
    if (locked)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *reader(void *arg)
{
    if (parts && seen[2 * PAGE]) /* no part of the file */
        exit(3);
    if (told && seen[AT + 2] == before)
        sched_yield();
    if (!arg) /* only it was in such code since the file was written */
        without_hooks();
    if (locked)
        pthread_mutex_lock(&lock);
    if (seen[AT + 2] != before && told)
        data++;
    if (locked)
        pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[3];
    how = argc > 1 ? argv[1] : "write";
    locked = argc > 2 && *argv[2] == '1';
    told = argc > 2 && *argv[2] == '2';
    fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int append = !strcmp(how, "append");
    if (fd < 0 || ftruncate(fd, append ? AT : 8 * PAGE) || (!append && pwrite(fd, "----", 4, AT) != 4))
        return 3;
    seen = mmap(NULL, 8 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
    parts = !strcmp(how, "parts");
    if (parts) { /* two mappings of the file with other memory between them */
        mmap((char *)seen + 2 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        how = "large";
    }
    stream = fopen("file", "r+");
    if (!stream || fseek(stream, AT, SEEK_SET) || lseek(fd, AT, SEEK_SET) != AT)
        return 3;
    before = append ? 0 : '-';
    if (!told && seen[AT + 2] != before)
        return 3;
    if (!told)
        pthread_create(&t[0], NULL, writer, NULL);
    for (int i = 1; i < 3 - told; i++)
        pthread_create(&t[i], NULL, reader, i > 1 ? &t[i] : NULL);
    if (told)
        pthread_create(&t[0], NULL, writer, NULL);
    for (int i = 0; i < 3 - told; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SOURCE
echo 'void without_hooks(void) {}' >without.c
cc -O1 -c without.c -o without.o || exit 1

races() { # OBJECT HOW [1 or 2]: the lines about it, by all policies
    for policy in $policies; do
        "$HEDDLE" record -q --policy $policy -o mapped.hdt -- ./mapped "${@:2}" || fail "$*: exit $?"
        "$HEDDLE" analyze mapped.hdt >found || [ $? = 66 ]
        grep -q '; 0 undecided' found || fail "$*: $(cat found)"
        grep "Race on $1" found
    done
}

policies="fifo random pct"
for flag in -O0 -O2; do
    "$HEDDLE" cc -g $flag -pthread mapped.c without.o -o mapped || exit 1
    for how in write writev pwrite pwrite64 pwritev large parts append beside stream truncate; do
        [ -z "$(races shared $how 1)" ] || fail "$flag, $how under a lock: $(races shared $how 1)"
        # What nobody saw being written before it was read first counts as there from the start: in that order alone it tells.
        case $how in stream | truncate) policies=fifo ;; *) policies="fifo random pct" ;; esac
        [ -z "$(races data $how 2)" ] || fail "$flag, $how tells: $(races data $how 2)"
        policies="fifo random pct"
    done
    [ -z "$(races map parts)" ] || fail "$flag, parts: $(races map parts)"
    for how in beside stream truncate; do # what is not seen is laid to nobody
        [ -z "$(races shared $how)" ] || fail "$flag, $how: $(races shared $how)"
    done
    for how in write writev pwrite pwrite64 pwritev large parts append; do
        code=0
        timeout 60 "$HEDDLE" run --output "out-$how$flag" -- ./mapped $how >text 2>&1 || code=$?
        [ $code = 66 ] || fail "$flag, $how: exit $code: $(cat text)"
        grep -q '^1. data race on shared.*confirmed' text && grep -q 'write by writer .*mapped.c:' text ||
            fail "$flag, $how: $(cat text)"
    done
done

# Calls that fail, or end early, as they do without Heddle: what they were given is not looked at before the kernel did.
cat >fails.c <<'SOURCE'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];

static void *at_once(void *arg) /* a pipe has no offsets, so that nothing waits for room in it */
{
    return pwrite(ends[1], arg, 1, 0) == -1 && errno == ESPIPE ? arg : NULL;
}

#define FAILS(call, why)                                                                           \
    if (errno = 0, (call) != -1 || errno != (why))                                                 \
    puts(#call)

int main(void)
{
    static char all[1 << 17];
    char *bad = (char *)8, *block = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct iovec v[] = {{NULL, 0}, {"ab", 2}, {bad, 2}};
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    pthread_t t;
    void *answer;
    if (fd < 0 || ftruncate(fd, 8192) || munmap(block + 4096, 4096) || pipe2(ends, O_NONBLOCK))
        return 3;
    const char *seen = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
    FAILS(pwrite(fd, NULL, 8, 0), EFAULT);
    FAILS(pwrite(fd, bad, 8, 0), EFAULT);
    FAILS(pwrite(-1, bad, 8, 0), EBADF);
    FAILS(pwrite(fd, "ab", 2, -1), EINVAL);
    FAILS(pwritev(fd, v, -1, 0), EINVAL);
    FAILS(pwritev(fd, (struct iovec *)bad, 1, 0), EFAULT);
    FAILS(pwrite(ends[1], all, sizeof all, 0), ESPIPE);
    if (pwritev(fd, v, 3, 9) != 2 || seen[9] != 'a' || seen[10] != 'b' || seen[11])
        puts("pwritev");
    if (pwrite(fd, block + 4090, 20, 9) != 6 || seen[9])
        puts("pwrite");
    while (write(ends[1], all, 4096) > 0)
        ;
    fcntl(ends[1], F_SETFL, 0);
    pthread_create(&t, NULL, at_once, all);
    pthread_join(t, &answer);
    if (!answer)
        puts("a full pipe");
    return 0;
}
SOURCE
"$HEDDLE" cc -g -O1 -w -pthread fails.c -o fails || exit 1
timeout 60 "$HEDDLE" record -q -o fails.hdt -- ./fails >text 2>&1 || fail "calls that fail: exit $?"
[ ! -s text ] || fail "calls that fail: $(cat text)"
exit $failed
