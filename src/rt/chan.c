/* Runs in the user's process; see the rules in rt.h. */
#include "rt/chan.h"

#include "rt/blocks.h"
#include "rt/sync.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { PLAIN, EVENT, EVENT_SEM };

struct chunk {
    uint64_t start; /* of a write, in bytes of the channel */
    struct chunk *next;
};

struct hd_chan {
    uint64_t key;  /* inode, or a hash of two addresses */
    uint64_t name; /* HD_PSEUDO_PIPE or _SOCKET */
    int kind;
    uint64_t sent, received; /* bytes */
    struct chunk *first, **end;
    uint64_t waiting; /* chunks that nobody has read from */
    uint64_t closes;
    struct hd_chan *next;
};

static struct hd_chan *all, **all_end = &all;
static uint64_t n_chans;
static struct chunk *spare;

static struct hd_chan *chan_of(uint64_t key, enum hd_pseudo kind)
{
    for (struct hd_chan *c = all; c; c = c->next)
        if (c->key == key)
            return c;
    struct hd_chan *c = hd_rt_mem(sizeof *c);
    c->key = key;
    c->name = HD_PSEUDO(kind, ++n_chans);
    c->end = &c->first;
    *all_end = c;
    all_end = &c->next;
    hd_rt_log2(HD_LOG_SEM_INIT, 0, 0, c->name, 0);
    return c;
}

/* ---- which channel a descriptor means ---- */

#define ENDS 1024

struct end {
    ino_t self; /* what the entry is about; 0: nothing known */
    uint64_t in, out;
    int kind;
    bool none; /* looked at, and no channel */
};
static struct end ends[ENDS];

static ino_t inode(int fd, mode_t *mode)
{
    struct stat st;
    if (fd < 0 || hd_rt_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0)
        return 0;
    *mode = st.st_mode;
    return st.st_ino;
}

static uint64_t hash(uint64_t h, const void *data, size_t n)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* A connection is known by its two addresses, seen from either side. */
static void look_at_socket(int fd, struct end *e)
{
    struct sockaddr_storage me, peer;
    socklen_t n = sizeof me, m = sizeof peer;
    e->none = true;
    if (hd_rt_syscall(SYS_getsockname, fd, (long)&me, (long)&n, 0, 0, 0) < 0 ||
        hd_rt_syscall(SYS_getpeername, fd, (long)&peer, (long)&m, 0, 0, 0) < 0 ||
        (me.ss_family != AF_INET && me.ss_family != AF_INET6))
        return;
    e->none = false;
    e->out = hash(hash(1, &me, n), &peer, m) | 1u << 31;
    e->in = hash(hash(1, &peer, m), &me, n) | 1u << 31;
}

struct hd_chan *hd_rt_chan(int fd, bool write)
{
    mode_t mode = 0;
    ino_t self = inode(fd, &mode);
    if (!self)
        return NULL;
    if (S_ISFIFO(mode))
        return chan_of(self, HD_PSEUDO_PIPE);
    if (fd >= ENDS || (!S_ISSOCK(mode) && !(ends[fd].kind && ends[fd].self == self)))
        return NULL;
    struct end *e = &ends[fd];
    if (e->self != self) {
        *e = (struct end){.self = self};
        look_at_socket(fd, e);
    }
    if (e->none)
        return NULL;
    struct hd_chan *c = chan_of(write ? e->out : e->in, HD_PSEUDO_PIPE);
    c->kind = e->kind;
    return c;
}

void hd_rt_chan_pair(int a, int b)
{
    mode_t mode;
    ino_t ia = inode(a, &mode), ib = inode(b, &mode);
    if (a >= ENDS || b >= ENDS)
        return;
    ends[a] = (struct end){.self = ia, .in = ia, .out = ib};
    ends[b] = (struct end){.self = ib, .in = ib, .out = ia};
}

/* All event descriptors share one inode, so the number of the descriptor goes in. */
void hd_rt_chan_event(int fd, bool semaphore)
{
    static uint64_t made;
    mode_t mode;
    ino_t self = inode(fd, &mode);
    uint64_t key = ++made << 40 | 1u << 30;
    if (fd < ENDS)
        ends[fd] = (struct end){self, key, key, semaphore ? EVENT_SEM : EVENT, false};
}

void hd_rt_chan_connects(const void *addr, size_t len, uintptr_t pc)
{
    const struct sockaddr *a = addr;
    if (len >= sizeof(sa_family_t) &&
        (a->sa_family == AF_INET || a->sa_family == AF_INET6 || a->sa_family == AF_UNIX))
        hd_rt_chan_sent(chan_of(hash(2, addr, len) | 1u << 31, HD_PSEUDO_SOCKET), 1, pc);
}

/* The two ends of a connection through the file system have the same names as all its others. */
static void name_unix(int fd, uintptr_t pc)
{
    static bool told;
    struct ucred who = {0, 0, 0};
    socklen_t n = sizeof who;
    long r = hd_rt_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&who, (long)&n, 0);
    if (told || r < 0 || who.pid != hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0))
        return;
    told = true;
    hd_rt_log_text(HD_LOG_NOTE, pc, HD_NOTE_UNMODELLED,
                   "a UNIX connection of the program to itself; what it orders is not seen");
}

void hd_rt_chan_accepted(int listener, int fd, uintptr_t pc)
{
    struct sockaddr_storage me;
    socklen_t n = sizeof me;
    if (hd_rt_syscall(SYS_getsockname, listener, (long)&me, (long)&n, 0, 0, 0) < 0)
        return;
    if (me.ss_family == AF_UNIX)
        name_unix(fd, pc);
    uint64_t key = hash(2, &me, n) | 1u << 31;
    for (struct hd_chan *c = all; c; c = c->next)
        if (c->key == key)
            hd_rt_chan_received(c, 1, pc);
}

/* ---- events ---- */

void hd_rt_chan_sent(struct hd_chan *c, uint64_t n, uintptr_t pc)
{
    struct chunk *k = spare;
    if (k)
        spare = k->next;
    else
        k = hd_rt_mem(sizeof *k);
    *k = (struct chunk){c->sent, NULL};
    *c->end = k;
    c->end = &k->next;
    c->sent += n;
    c->waiting++;
    hd_rt_log1(HD_LOG_POST, pc, c->name);
}

void hd_rt_chan_received(struct hd_chan *c, uint64_t n, uintptr_t pc)
{
    c->received = c->kind == EVENT ? c->sent : c->received + n;
    while (c->first && c->first->start < c->received) {
        struct chunk *k = c->first;
        c->first = k->next;
        if (!c->first)
            c->end = &c->first;
        k->next = spare;
        spare = k;
        c->waiting--;
        hd_rt_log1(HD_LOG_SEM, pc, c->name);
    }
}

void hd_rt_chan_look(const struct hd_chan *c, uintptr_t pc)
{
    hd_rt_look(HD_LOOK_COUNT, c->name, c->waiting, pc);
}

void hd_rt_chan_closed(const struct hd_chan *c, uintptr_t pc)
{
    hd_rt_look(HD_LOOK_COUNT, c->name, c->waiting, pc);
    hd_rt_look(HD_LOOK_CLOSED, c->name, c->closes, pc);
}

void hd_rt_chan_look_all(uintptr_t pc)
{
    for (const struct hd_chan *c = all; c; c = c->next)
        hd_rt_chan_closed(c, pc);
}

void hd_rt_chan_log_again(void)
{
    for (const struct hd_chan *c = all; c; c = c->next)
        hd_rt_log2(HD_LOG_SEM_INIT, 0, 0, c->name, c->waiting);
}

void hd_rt_chan_shut(struct hd_chan *c, uintptr_t pc)
{
    hd_rt_set(HD_LOOK_CLOSED, c->name, ++c->closes, pc);
}

void hd_rt_chan_closing(int fd, uintptr_t pc)
{
    struct hd_chan *c = hd_rt_chan(fd, true);
    if (c)
        hd_rt_chan_shut(c, pc);
    if (fd >= 0 && fd < ENDS)
        ends[fd] = (struct end){0};
}
