/* Runs in the user's process; see the rules in rt.h. */
#include "rt/libc/chan.h"

#include "rt/core/range_log.h"
#include "rt/libc/sync.h"
#include "rt/core/watch.h"

#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define SAME 64u /* bytes: writes of more count as different */

enum { PLAIN, EVENT, EVENT_SEM, MESSAGES };

struct chunk {
    uint64_t start;  /* of a write, in bytes of the channel (or messages) */
    uint32_t number; /* of the write, from 1; 0: what it brings is always the same */
    struct chunk *next;
};

struct hd_chan {
    uint64_t key;  /* inode, or a hash of two addresses */
    uint64_t name; /* HD_PSEUDO_PIPE or _SOCKET */
    int kind;
    uint64_t sent, received; /* bytes, or messages */
    struct chunk *first, **end;
    uint64_t waiting; /* chunks that no thread has read from */
    uint64_t closes;
    uint32_t writes;
    uint64_t listens;            /* of an address */
    bool own;                    /* of an address of datagrams: this program has a socket there */
    struct hd_chan *next, *same; /* in the order of making; in a bucket */
};

static struct hd_chan *all, **all_end = &all, *buckets[1024];
static uint64_t n_chans;
static struct chunk *spare;

static void sent(struct hd_chan *c, uint64_t n, uint32_t number, uintptr_t pc);

static struct hd_chan **bucket_of(uint64_t key)
{
    return &buckets[(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) %
                    (sizeof buckets / sizeof *buckets)];
}

static struct hd_chan *find(uint64_t key)
{
    struct hd_chan *c = *bucket_of(key);
    while (c && c->key != key)
        c = c->same;
    return c;
}

static struct hd_chan *chan_of(uint64_t key, enum hd_pseudo kind)
{
    struct hd_chan *c = find(key), **bucket = bucket_of(key);
    if (c)
        return c;
    c = hd_rt_mem(sizeof *c);
    c->key = key;
    c->name = HD_PSEUDO(kind, ++n_chans);
    c->end = &c->first;
    c->same = *bucket;
    *bucket = c;
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
    bool none;               /* looked at, and no channel */
    bool grams;              /* datagrams, which go to an address */
    uint32_t unmet;          /* how often the other end was looked for in vain */
    struct hd_chan *listens; /* the address where it does */
};
static struct end ends[ENDS];
static struct end closed[ENDS]; /* the last ones, by inode: other descriptors may be open */

static ino_t inode(int fd, mode_t *mode)
{
    struct hd_fd at = hd_rt_fd(fd);
    *mode = at.mode;
    return at.self;
}

static uint64_t hash(uint64_t h, const void *data, size_t n)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* ---- addresses ---- */

#define CONNECTIONS 2u /* what an address is for: hashes start there */
#define DATAGRAMS   5u

/* A socket that is bound to all addresses has those that lead to this machine, too. */
static bool is_here(const void *addr, uint16_t *port)
{
    static const uint8_t any[16], mapped[12] = {[10] = 0xff, [11] = 0xff}, self[16] = {[15] = 1};
    const struct sockaddr_in *in = addr;
    const struct sockaddr_in6 *in6 = addr;
    const uint8_t *a =
        in->sin_family == AF_INET ? (const uint8_t *)&in->sin_addr : in6->sin6_addr.s6_addr;
    *port = in->sin_family == AF_INET ? in->sin_port : in6->sin6_port;
    if (in->sin_family == AF_INET6 && (!memcmp(a, any, 16) || !memcmp(a, self, 16)))
        return true;
    if (in->sin_family == AF_INET6 && memcmp(a, mapped, sizeof mapped) != 0)
        return false;
    a += in->sin_family == AF_INET6 ? sizeof mapped : 0;
    return a[0] == 127 || !memcmp(a, any, 4);
}

/* What stands for an address. That of a UNIX socket may come with bytes after the end of its path.
 */
static uint64_t place_of(const void *addr, size_t len, unsigned use)
{
    const struct sockaddr_un *u = addr;
    size_t head = offsetof(struct sockaddr_un, sun_path), n = 0;
    uint16_t port;
    if (u->sun_family == AF_UNIX && len > head && u->sun_path[0]) {
        while (head + n < len && u->sun_path[n])
            n++;
        len = head + n;
    } else if (u->sun_family != AF_UNIX && is_here(addr, &port)) {
        return hash(use + 1, &port, sizeof port) | 1u << 31;
    } else if (u->sun_family != AF_UNIX && use == DATAGRAMS) {
        return 0; /* it goes elsewhere, as far as is known */
    }
    return hash(use, addr, len) | 1u << 31;
}

/* 0: no address that leads to a thread. */
static uint64_t place_at(const void *addr, size_t len, unsigned use)
{
    const struct sockaddr *a = addr;
    bool known = len >= sizeof(sa_family_t) &&
                 ((a->sa_family == AF_INET && len >= sizeof(struct sockaddr_in)) ||
                  (a->sa_family == AF_INET6 && len >= sizeof(struct sockaddr_in6)) ||
                  (a->sa_family == AF_UNIX && len > offsetof(struct sockaddr_un, sun_path)));
    return known ? place_of(addr, len, use) : 0;
}

/* NULL: no address that connects. */
static struct hd_chan *chan_at(const void *addr, size_t len)
{
    uint64_t place = place_at(addr, len, CONNECTIONS);
    return place ? chan_of(place, HD_PSEUDO_SOCKET) : NULL;
}

/* ---- sockets ---- */

static int type_of(int fd)
{
    int type = 0;
    socklen_t n = sizeof type;
    return hd_rt_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&n, 0) < 0
               ? 0
               : type;
}

static int kind_of(int fd)
{
    return type_of(fd) == SOCK_STREAM ? PLAIN : MESSAGES;
}

/* Of a socket, or with SYS_getpeername of what it is connected to. */
static uint64_t place_by(long nr, int fd, unsigned use)
{
    struct sockaddr_storage at;
    socklen_t n = sizeof at;
    return hd_rt_syscall(nr, fd, (long)&at, (long)&n, 0, 0, 0) < 0 ? 0 : place_at(&at, n, use);
}

/* A connection is known by its two addresses, seen from either side. */
static void look_at_socket(int fd, struct end *e)
{
    struct sockaddr_storage me, peer;
    socklen_t n = sizeof me, m = sizeof peer;
    e->none = true;
    if (hd_rt_syscall(SYS_getsockname, fd, (long)&me, (long)&n, 0, 0, 0) < 0)
        return;
    e->grams = type_of(fd) == SOCK_DGRAM;
    if (e->grams || hd_rt_syscall(SYS_getpeername, fd, (long)&peer, (long)&m, 0, 0, 0) < 0 ||
        (me.ss_family != AF_INET && me.ss_family != AF_INET6))
        return;
    e->none = false;
    e->kind = kind_of(fd);
    e->out = hash(hash(1, &me, n), &peer, m) | 1u << 31;
    e->in = hash(hash(1, &peer, m), &me, n) | 1u << 31;
}

/* What is known of another descriptor of the same socket. */
static bool is_known(ino_t self, struct end *e)
{
    const struct end *old = &closed[self % ENDS];
    for (int i = 0; i < ENDS && old->self != self; i++)
        old = ends[i].self == self ? &ends[i] : old;
    if (old->self != self)
        return false;
    *e = *old;
    e->listens = NULL;
    return true;
}

/* Does a socket of this program get the datagrams of a place? */
static bool is_bound(uint64_t place)
{
    mode_t mode;
    for (int fd = 0; fd < ENDS; fd++)
        if (inode(fd, &mode) && S_ISSOCK(mode) && type_of(fd) == SOCK_DGRAM &&
            place_by(SYS_getsockname, fd, DATAGRAMS) == place)
            return true;
    return false;
}

/* Datagrams go to an address: to the socket that is bound to it. To one where no thread has sent
 * come only those from outside. */
static struct hd_chan *gram_chan(int fd, bool write, const void *to, size_t len)
{
    uint64_t place = !write ? place_by(SYS_getsockname, fd, DATAGRAMS)
                     : to   ? place_at(to, len, DATAGRAMS)
                            : place_by(SYS_getpeername, fd, DATAGRAMS);
    struct hd_chan *c = place ? find(place) : NULL;
    if (!c && place && write) {
        c = chan_of(place, HD_PSEUDO_PIPE);
        c->kind = MESSAGES;
        c->own = is_bound(place);
    }
    if (c && !write)
        c->own = true;
    return c && c->own ? c : NULL;
}

struct hd_chan *hd_rt_chan_to(const struct hd_fd *at, bool write, const void *to, size_t len)
{
    int fd = at->fd;
    mode_t mode = at->mode;
    ino_t self = at->self;
    if (!self)
        return NULL;
    if (S_ISFIFO(mode))
        return chan_of(self, HD_PSEUDO_PIPE);
    if (fd >= ENDS || (!S_ISSOCK(mode) && !(ends[fd].kind && ends[fd].self == self)))
        return NULL;
    struct end *e = &ends[fd];
    if (e->self != self && !is_known(self, e)) {
        *e = (struct end){.self = self};
        look_at_socket(fd, e);
    }
    if (e->grams)
        return gram_chan(fd, write, to, len);
    if (e->none)
        return NULL;
    struct hd_chan *c = chan_of(write ? e->out : e->in, HD_PSEUDO_PIPE);
    c->kind = e->kind;
    return c;
}

struct hd_chan *hd_rt_chan_of(const struct hd_fd *at, bool write)
{
    return hd_rt_chan_to(at, write, NULL, 0);
}

struct hd_chan *hd_rt_chan(int fd, bool write)
{
    struct hd_fd at = hd_rt_fd(fd);
    return hd_rt_chan_of(&at, write);
}

/* Another descriptor of this process that reads what fd writes; -1: none is known. All are looked
 * at for the first, second, fourth, ... time. */
static int other_end(struct end *e)
{
    mode_t mode;
    bool fresh = (e->unmet & (e->unmet + 1)) == 0;
    for (int i = 0; i < ENDS && !e->none && !e->grams; i++) {
        if (fresh)
            hd_rt_chan(i, false); /* notes what is known of it */
        if (ends[i].self && ends[i].in == e->out && ends[i].self == inode(i, &mode))
            return i;
    }
    e->unmet++;
    return -1;
}

int hd_rt_chan_inbox(int fd, bool write)
{
    int n = 0;
    mode_t mode = 0;
    ino_t self = write && fd < ENDS ? inode(fd, &mode) : 0;
    if (S_ISSOCK(mode) && ends[fd].self == self)
        fd = other_end(&ends[fd]);
    return fd < 0 || hd_rt_syscall(SYS_ioctl, fd, FIONREAD, (long)&n, 0, 0, 0) < 0 ? 0 : n;
}

bool hd_rt_chan_messages(const struct hd_chan *c)
{
    return c->kind == MESSAGES;
}

bool hd_rt_chan_has_message(const struct hd_chan *c)
{
    return c->kind == MESSAGES && c->first;
}

struct hd_chan *hd_rt_chan_source(int fd)
{
    mode_t mode;
    if (fd >= 0 && fd < ENDS && ends[fd].listens && ends[fd].self == inode(fd, &mode))
        return ends[fd].listens;
    return hd_rt_chan(fd, false);
}

void hd_rt_chan_pair(int a, int b)
{
    mode_t mode;
    ino_t ia = inode(a, &mode), ib = inode(b, &mode);
    if (a >= ENDS || b >= ENDS)
        return;
    int kind = kind_of(a);
    ends[a] = (struct end){.self = ia, .in = ia, .out = ib, .kind = kind};
    ends[b] = (struct end){.self = ib, .in = ib, .out = ia, .kind = kind};
}

/* All event descriptors share one inode, so the number of the descriptor goes in. */
void hd_rt_chan_event(int fd, bool semaphore)
{
    static uint64_t made;
    mode_t mode;
    ino_t self = inode(fd, &mode);
    uint64_t key = ++made << 40 | 1u << 30;
    if (fd < ENDS)
        ends[fd] = (struct end){
            .self = self, .in = key, .out = key, .kind = semaphore ? EVENT_SEM : EVENT};
}

/* ---- connections ---- */

static struct hd_chan *chan_bound(int fd, int *family)
{
    struct sockaddr_storage me;
    socklen_t n = sizeof me;
    if (hd_rt_syscall(SYS_getsockname, fd, (long)&me, (long)&n, 0, 0, 0) < 0)
        return NULL;
    *family = me.ss_family;
    return chan_at(&me, n);
}

void hd_rt_chan_listens(int fd, uintptr_t pc)
{
    int family;
    struct hd_chan *c = chan_bound(fd, &family);
    mode_t mode;
    if (!c)
        return;
    if (fd < ENDS)
        ends[fd] = (struct end){.self = inode(fd, &mode), .none = true, .listens = c};
    c->listens = 1;
    hd_rt_set(HD_LOOK_LISTENS, c->name, 1, pc);
}

void hd_rt_chan_looked(const void *addr, size_t len, uintptr_t pc)
{
    const struct hd_chan *c = chan_at(addr, len);
    if (c)
        hd_rt_look(HD_LOOK_LISTENS, c->name, c->listens, pc);
}

void hd_rt_chan_connects(const void *addr, size_t len, uintptr_t pc)
{
    struct hd_chan *c = chan_at(addr, len);
    if (c)
        sent(c, 1, 0, pc);
}

/* The two ends of a connection through the file system have the same names as all its others. But
 * they are accepted in the order in which they came. */
struct knock {
    const struct hd_chan *at;
    ino_t from;
    struct knock *next;
};
static struct knock *knocks, **knocks_end = &knocks, *spare_knocks;

/* The channel to the side that accepts, which has no inode before it does. */
static uint64_t inward(ino_t from)
{
    return hash(3, &from, sizeof from) | 1u << 31;
}

void hd_rt_chan_connected(int fd, const void *addr, size_t len, uintptr_t pc)
{
    mode_t mode;
    struct hd_chan *c = chan_at(addr, len);
    if (!c || type_of(fd) == SOCK_DGRAM)
        return;
    struct knock *k = spare_knocks;
    if (k)
        spare_knocks = k->next;
    else
        k = hd_rt_mem(sizeof *k);
    *k = (struct knock){.at = c, .from = inode(fd, &mode)};
    *knocks_end = k;
    knocks_end = &k->next;
    if (fd < ENDS)
        ends[fd] = (struct end){
            .self = k->from, .in = k->from, .out = inward(k->from), .kind = kind_of(fd)};
    sent(c, 1, 0, pc);
}

static bool is_own(int fd)
{
    struct ucred who = {0, 0, 0};
    socklen_t n = sizeof who;
    return hd_rt_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&who, (long)&n, 0) >=
               0 &&
           who.pid == hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* False: no thread is known to have connected, so that the other end is not in this process, or in
 * code that is not instrumented. */
static bool meet(const struct hd_chan *c, int fd)
{
    mode_t mode;
    struct knock **at = &knocks, *k;
    while (*at && (*at)->at != c)
        at = &(*at)->next;
    k = *at;
    if (!k)
        return false;
    *at = k->next;
    if (knocks_end == &k->next)
        knocks_end = at;
    if (fd < ENDS)
        ends[fd] = (struct end){
            .self = inode(fd, &mode), .in = inward(k->from), .out = k->from, .kind = kind_of(fd)};
    k->next = spare_knocks;
    spare_knocks = k;
    return true;
}

bool hd_rt_chan_accepted(int listener, int fd, uintptr_t pc)
{
    static bool told;
    int family;
    struct hd_chan *c = chan_bound(listener, &family);
    if (!c || (family == AF_UNIX && !is_own(fd)))
        return false;
    if (family == AF_UNIX && !meet(c, fd)) {
        if (!told && !rt.follow) /* a replay plays the outside itself */
            hd_rt_log_text(
                HD_LOG_NOTE, pc, HD_NOTE_UNMODELLED,
                "a UNIX connection of the program to itself; what it orders is not seen");
        told = true;
        return !rt.follow;
    }
    bool inside = c->first;
    hd_rt_chan_received(c, 1, pc);
    return inside;
}

/* ---- events ---- */

static void sent(struct hd_chan *c, uint64_t n, uint32_t number, uintptr_t pc)
{
    struct chunk *k = spare;
    if (k)
        spare = k->next;
    else
        k = hd_rt_mem(sizeof *k);
    *k = (struct chunk){c->sent, number, NULL};
    *c->end = k;
    c->end = &k->next;
    c->sent += n;
    c->waiting++;
    hd_rt_log1(HD_LOG_POST, pc, c->name);
}

void hd_rt_chan_sent(struct hd_chan *c, uint64_t n, const void *bytes, uintptr_t pc)
{
    bool plain = c->kind == PLAIN || c->kind == MESSAGES;
    uint32_t number = plain ? ++c->writes : 0;
    uint64_t h = bytes && n <= SAME ? hash(4, bytes, n) | 1 : 0;
    if (number)
        hd_rt_set(HD_LOOK_SENT, c->name, HD_SENT(number, (uint32_t)(h >> 32 ^ h)), pc);
    sent(c, c->kind == MESSAGES ? 1 : n, number, pc);
}

void hd_rt_chan_received(struct hd_chan *c, uint64_t n, uintptr_t pc)
{
    if (c->kind == MESSAGES && !c->first)
        return; /* from outside */
    c->received = c->kind == EVENT      ? c->sent
                  : c->kind == MESSAGES ? c->first->start + 1
                                        : c->received + n;
    while (c->first && c->first->start < c->received) {
        struct chunk *k = c->first;
        c->first = k->next;
        if (!c->first)
            c->end = &c->first;
        k->next = spare;
        spare = k;
        c->waiting--;
        hd_rt_log1(HD_LOG_SEM, pc, c->name);
        if (k->number)
            hd_rt_look(HD_LOOK_CHUNK, c->name, k->number, pc);
    }
    hd_rt_set(HD_LOOK_TAKEN, c->name, c->received, pc);
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

void hd_rt_chan_asked(const struct hd_chan *c, uintptr_t pc)
{
    if (c->waiting)
        hd_rt_chan_look(c, pc);
    else
        hd_rt_chan_closed(c, pc);
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
    mode_t mode;
    bool grams = fd >= 0 && fd < ENDS && ends[fd].grams && ends[fd].self == inode(fd, &mode);
    struct hd_chan *c = grams ? NULL : hd_rt_chan(fd, true);
    if (c)
        hd_rt_chan_shut(c, pc);
    hd_rt_watch_closing(fd);
    if (fd < 0 || fd >= ENDS)
        return;
    if (ends[fd].listens) {
        ends[fd].listens->listens = 0;
        hd_rt_set(HD_LOOK_LISTENS, ends[fd].listens->name, 0, pc);
    }
    if (ends[fd].self)
        closed[ends[fd].self % ENDS] = ends[fd];
    ends[fd] = (struct end){0};
}
