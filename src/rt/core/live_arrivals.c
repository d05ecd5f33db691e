/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/live_arrivals.h"

#include "abi/rt_arrivals.h"
#include "rt/core/fd.h"
#include "rt/core/live_answers.h"
#include "rt/core/range_log.h"
#include "rt/libc/chan.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/core/sys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Datagram sockets of the program, where a replay sends to. The last one is the first. */
struct gram {
    struct sockaddr_storage at;
    socklen_t len;
    bool unread;
    struct gram *next;
};
static struct gram *grams;
static uint32_t n_grams;

static uint32_t new_gram(const struct sockaddr_storage *at, socklen_t len)
{
    struct gram *g = hd_rt_mem(sizeof *g);
    g->at = *at;
    g->len = len;
    g->next = grams;
    grams = g;
    return n_grams++;
}

static struct gram *gram_of(uint32_t id)
{
    struct gram *g = id < n_grams ? grams : NULL;
    for (uint32_t i = n_grams; g && i > id + 1; i--)
        g = g->next;
    return g;
}

/* ---- sockets with another side outside ---- */

struct source {
    ino_t self; /* 0: a free place */
    uint32_t id;
    enum hd_arrival_source kind;
};
static struct source *sources; /* by inode, open addressing */
static size_t n_sources, room;
static uint32_t n_listeners, n_conns;

static struct source *place_of(ino_t self)
{
    size_t i = (size_t)(self * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
    while (sources[i].self && sources[i].self != self)
        i = (i + 1) & (room - 1);
    return &sources[i];
}

static void grow(void)
{
    struct source *old = sources;
    size_t n = room;
    room = room ? 2 * room : 64;
    sources = hd_rt_mem(room * sizeof *sources);
    for (size_t i = 0; i < n; i++)
        if (old[i].self)
            *place_of(old[i].self) = old[i];
}

static ino_t socket_of(const struct hd_fd *at)
{
    return S_ISSOCK(at->mode) ? at->self : 0;
}

static const struct source *keep(const struct hd_fd *at, uint32_t id, enum hd_arrival_source kind)
{
    ino_t self = socket_of(at);
    if (!self)
        return NULL;
    if (2 * (n_sources + 1) > room)
        grow();
    struct source *s = place_of(self);
    n_sources += !s->self;
    *s = (struct source){self, id, kind};
    return s;
}

/* A bound datagram socket whose messages do not come from a thread that we know of. Other sockets
 * that are asked for here never become a source. */
static const struct source *look_closer(const struct hd_fd *fd)
{
    struct sockaddr_storage at;
    int type = 0;
    socklen_t n = sizeof type, len = sizeof at;
    const struct sockaddr_in *in = (void *)&at;
    if (hd_rt_syscall(SYS_getsockopt, fd->fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&n, 0) < 0 ||
        type != SOCK_DGRAM)
        return keep(fd, 0, HD_SOURCE_NONE);
    if (hd_rt_syscall(SYS_getsockname, fd->fd, (long)&at, (long)&len, 0, 0, 0) < 0)
        return NULL;
    bool bound = at.ss_family == AF_UNIX ? len > sizeof at.ss_family : in->sin_port != 0;
    if (!bound || hd_rt_chan_of(fd, false))
        return NULL; /* it may be bound later */
    return keep(fd, new_gram(&at, len), HD_SOURCE_DATAGRAM);
}

static const struct source *find(const struct hd_fd *at)
{
    ino_t self = socket_of(at);
    if (!self)
        return NULL;
    const struct source *s = room ? place_of(self) : NULL;
    if (!s || !s->self)
        s = look_closer(at);
    if (s && s->kind == HD_SOURCE_DATAGRAM && hd_rt_chan_of(at, false))
        return NULL; /* a thread has sent to it */
    return s && s->kind != HD_SOURCE_NONE ? s : NULL;
}

bool hd_rt_arrivals_from(const struct hd_fd *at)
{
    return find(at) != NULL;
}

/* ---- recording ---- */

/* Whether a message or connection from outside is ready. A connection that waits at a listener may
 * come from a thread of the program: that is known when it is accepted. */
static bool has_client(const uint32_t *ready, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *ready; i++)
        if ((ready[i] & 3) != HD_SOURCE_LISTENER)
            return true;
    return false;
}

static void log_item(enum hd_arrival kind, uint32_t id, const void *data, size_t n)
{
    if (!rt.follow && !rt.tapped)
        hd_rt_log_data(HD_LOG_ARRIVAL, 0, (uint64_t)id << 8 | kind, data, n);
    if (kind == HD_ARRIVAL_SIGNAL)
        rt.header->took |= HD_TOOK_SIGNAL;
    else if (kind == HD_ARRIVAL_ACCEPT || (kind == HD_ARRIVAL_READY && has_client(data, n)))
        rt.header->took |= HD_TOOK_CLIENT;
}

void hd_rt_arrivals_asked(int fd)
{
    if (fd == STDIN_FILENO)
        rt.header->took |= HD_TOOK_INPUT;
}

void hd_rt_arrivals_signal(int sig, const siginfo_t *info)
{
    bool sent = !info || info->si_code == SI_USER || info->si_code == SI_QUEUE;
    bool asks = sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT;
    if (sig != SIGCHLD && (sent || asks))
        log_item(HD_ARRIVAL_SIGNAL, (uint32_t)sig, NULL, 0);
}

static bool is_signalfd(int fd)
{
    static const char name[] = "anon_inode:[signalfd]";
    char path[32] = "/proc/self/fd/", to[sizeof name], *end = path + sizeof "/proc/self/fd/" - 1;
    int scale = 1;
    while (fd / scale >= 10)
        scale *= 10;
    for (; scale; scale /= 10)
        *end++ = (char)('0' + fd / scale % 10);
    long n = hd_rt_syscall(SYS_readlink, (long)path, (long)to, sizeof to, 0, 0, 0);
    return n == sizeof name - 1 && !memcmp(to, name, sizeof name - 1);
}

void hd_rt_arrivals_signalfd(int fd, const void *buf, long n)
{
    const struct signalfd_siginfo *info = buf;
    if (n < (long)sizeof *info || n % (long)sizeof *info || !is_signalfd(fd))
        return;
    for (; n > 0; n -= (long)sizeof *info, info++)
        if (info->ssi_pid != (uint32_t)hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0))
            log_item(HD_ARRIVAL_SIGNAL, info->ssi_signo | HD_ARRIVAL_PENDING, NULL, 0);
}

/* ---- what a replay has to play ---- */

struct item {
    const struct hd_arrivals_item *head;
    const void *data;
    bool played;
};
static struct item *items;
static size_t n_items, first_left; /* all before it are played */

struct conn {
    int peer; /* our side; 0: not connected yet */
    uint32_t listener;
    bool waiting; /* not accepted yet */
    bool unread;  /* something was sent that no thread has read */
};
static struct conn *conns;
static struct sockaddr_storage *addresses; /* of listening sockets, by number */
static socklen_t *address_lens;
static uint32_t room_conns, room_listeners;

static const char *map_file(const char *path, struct hd_arrivals_header *h)
{
    long fd = hd_rt_syscall(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0), p = -1;
    if (fd < 0)
        return NULL;
    if (hd_rt_syscall(SYS_read, fd, (long)h, sizeof *h, 0, 0, 0) == sizeof *h &&
        h->magic == HD_ARRIVALS_MAGIC)
        p = hd_rt_syscall(SYS_mmap, 0, (long)h->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    hd_rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return p < 0 && p > -4096 ? NULL : (const char *)p;
}

void hd_rt_arrivals_start(void)
{
    struct hd_arrivals_header h;
    const char *path = hd_rt_getenv(HD_ARRIVALS_ENV), *file = path ? map_file(path, &h) : NULL;
    if (!file || !h.n)
        return;
    items = hd_rt_mem(h.n * sizeof *items);
    const char *p = file + sizeof h, *end = file + h.bytes;
    for (uint64_t i = 0; i < h.n && p + sizeof(struct hd_arrivals_item) <= end; i++) {
        const struct hd_arrivals_item *head = (const void *)p;
        p += sizeof *head + ((head->len + 7) & ~UINT64_C(7));
        if (head->kind == HD_ARRIVAL_TIME || head->kind == HD_ARRIVAL_WAITED) {
            hd_rt_answers_keep(head);
            continue;
        }
        items[n_items++] = (struct item){head, head + 1, false};
        if (head->kind == HD_ARRIVAL_ACCEPT && head->id >= room_conns)
            room_conns = head->id + 1;
        if (head->kind == HD_ARRIVAL_ACCEPT && *(const uint32_t *)(head + 1) >= room_listeners)
            room_listeners = *(const uint32_t *)(head + 1) + 1;
    }
    conns = hd_rt_mem((room_conns + 1) * sizeof *conns);
    addresses = hd_rt_mem((room_listeners + 1) * sizeof *addresses);
    address_lens = hd_rt_mem((room_listeners + 1) * sizeof *address_lens);
}

/* ---- the other side ---- */

static long socket_call(long nr, int fd, const void *p, long n)
{
    return hd_rt_syscall(nr, fd, (long)p, n, 0, 0, 0);
}

/* Where a socket listens that takes connections at any address. */
static void make_local(struct sockaddr_storage *a)
{
    struct sockaddr_in *in = (void *)a;
    struct sockaddr_in6 *in6 = (void *)a;
    if (a->ss_family == AF_INET && in->sin_addr.s_addr == 0)
        in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (a->ss_family == AF_INET6 && !memcmp(&in6->sin6_addr, &in6addr_any, sizeof in6addr_any))
        in6->sin6_addr = in6addr_loopback;
}

static void connect_to(uint32_t listener, uint32_t id)
{
    if (id >= room_conns || conns[id].peer || listener >= room_listeners || !address_lens[listener])
        return;
    struct sockaddr_storage to = addresses[listener];
    long fd = hd_rt_syscall(SYS_socket, to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return;
    int peer = hd_rt_high_fd((int)fd);
    make_local(&to);
    /* A local connection is there at once, unless the queue of the socket is full. */
    hd_rt_syscall(SYS_fcntl, peer, F_SETFL, O_NONBLOCK, 0, 0, 0);
    long r = socket_call(SYS_connect, peer, &to, (long)address_lens[listener]);
    if (r < 0 && r != -EINPROGRESS) {
        hd_rt_syscall(SYS_close, peer, 0, 0, 0, 0, 0);
        return;
    }
    conns[id] = (struct conn){.peer = peer, .listener = listener, .waiting = true};
}

/* What the program answered is of no interest, but must not fill the connection up. */
static void drain(int peer)
{
    char part[4096];
    while (hd_rt_syscall(SYS_recvfrom, peer, (long)part, sizeof part, MSG_DONTWAIT, 0, 0) > 0)
        continue;
}

static void send_to(const struct item *it)
{
    struct conn *c = &conns[it->head->id];
    drain(c->peer);
    if (it->head->len == 0) {
        hd_rt_syscall(SYS_shutdown, c->peer, SHUT_WR, 0, 0, 0, 0);
        return;
    }
    hd_rt_syscall(SYS_sendto, c->peer, (long)it->data, (long)it->head->len,
                  MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0);
    c->unread = true;
}

static bool send_gram(const struct item *it)
{
    struct gram *g = gram_of(it->head->id);
    if (!g || g->unread)
        return false;
    struct sockaddr_storage to = g->at;
    long fd = hd_rt_syscall(SYS_socket, to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return false;
    make_local(&to);
    hd_rt_syscall(SYS_sendto, fd, (long)it->data, (long)it->head->len, MSG_DONTWAIT, (long)&to,
                  (long)g->len);
    hd_rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return g->unread = true;
}

/* As if another process sent it. */
static void send_signal(const struct item *it, const struct hd_thread *t)
{
    siginfo_t info;
    uint32_t sig = it->head->id & ~HD_ARRIVAL_PENDING;
    memset(&info, 0, sizeof info);
    info.si_signo = (int)sig;
    info.si_code = SI_QUEUE;
    long pid = hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    if (it->head->id & HD_ARRIVAL_PENDING) {
        hd_rt_syscall(SYS_rt_sigqueueinfo, pid, sig, (long)&info, 0, 0, 0);
        return;
    }
    unsigned seen = t->sig_seen;
    struct timespec ms = {0, 1000000};
    hd_rt_syscall(SYS_rt_tgsigqueueinfo, pid, t->tid, sig, (long)&info, 0, 0);
    for (int i = 0; i < 100 && t->sig_seen == seen; i++)
        hd_rt_syscall(SYS_nanosleep, (long)&ms, 0, 0, 0, 0, 0); /* the kernel takes its time */
}

uint64_t hd_rt_arrivals_path(const struct hd_thread *t)
{
    uint64_t h = 1;
    uint32_t child = t->child;
    for (const struct hd_way *w = t->from; w; child = w->child, w = w->from)
        h = hd_arrivals_thread(h, child);
    return h;
}

static const struct hd_thread *thread_of(const struct item *it)
{
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i]->state != HD_DONE &&
            hd_rt_arrivals_path(rt.threads[i]) == it->head->thread)
            return rt.threads[i];
    return NULL;
}

/* Lets it come now. False: it cannot yet. */
static bool play(struct item *it)
{
    uint32_t id = it->head->id;
    const struct hd_thread *t;
    switch ((enum hd_arrival)it->head->kind) {
    case HD_ARRIVAL_ACCEPT:
        connect_to(*(const uint32_t *)it->data, id);
        it->played = id < room_conns && conns[id].peer;
        break;
    case HD_ARRIVAL_READ:
        if (id >= room_conns || !conns[id].peer || conns[id].unread)
            return false;
        send_to(it);
        it->played = true;
        break;
    case HD_ARRIVAL_DATAGRAM:
        it->played = send_gram(it);
        break;
    case HD_ARRIVAL_SIGNAL:
        if (!(t = thread_of(it)))
            return false;
        send_signal(it, t);
        it->played = true;
        break;
    default:
        it->played = true; /* what a call got, not what came */
        return false;
    }
    return it->played;
}

static struct item *next_of(enum hd_arrival kind, uint32_t what)
{
    for (size_t i = first_left; i < n_items; i++) {
        const struct hd_arrivals_item *h = items[i].head;
        if (items[i].played || h->kind != (uint32_t)kind)
            continue;
        if (kind == HD_ARRIVAL_ACCEPT ? *(const uint32_t *)items[i].data == what : h->id == what)
            return &items[i];
    }
    return NULL;
}

static bool is_waiting(uint32_t listener)
{
    for (uint32_t i = 0; i < room_conns; i++)
        if (conns[i].waiting && conns[i].listener == listener)
            return true;
    return false;
}

/* what: as in HD_ARRIVAL_READY. */
static void make_ready(uint32_t what)
{
    struct item *it = NULL;
    uint32_t id = what >> 2;
    switch ((enum hd_arrival_source)(what & 3)) {
    case HD_SOURCE_LISTENER:
        it = is_waiting(id) ? NULL : next_of(HD_ARRIVAL_ACCEPT, id);
        break;
    case HD_SOURCE_CONNECTION:
        it = id >= room_conns || conns[id].unread ? NULL : next_of(HD_ARRIVAL_READ, id);
        break;
    case HD_SOURCE_DATAGRAM:
        it = next_of(HD_ARRIVAL_DATAGRAM, id);
        break;
    case HD_SOURCE_NONE:
        break;
    }
    if (it)
        play(it);
}

bool hd_rt_arrivals_play(void)
{
    while (first_left < n_items && items[first_left].played)
        first_left++;
    for (size_t i = first_left; i < n_items; i++)
        if (!items[i].played && play(&items[i]))
            return true;
    return false;
}

/* Threads that are blocked have had the time to see their signals. */
bool hd_rt_arrivals_over(void)
{
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i]->sig_in != rt.threads[i]->sig_out)
            return false;
    return n_items && first_left == n_items;
}

void hd_rt_arrivals_alone(int fd, short events)
{
    struct pollfd p = {fd, events, 0};
    struct timespec zero = {0, 0};
    while (n_items && hd_rt_syscall(SYS_ppoll, (long)&p, 1, (long)&zero, 0, 8, 0) == 0)
        if (!hd_rt_arrivals_play())
            return;
}

/* ---- around calls ---- */

bool hd_rt_arrivals_raise(struct hd_thread *t)
{
    uint64_t path = n_items ? hd_rt_arrivals_path(t) : 0;
    while (t->arrival < n_items && items[t->arrival].head->thread != path)
        t->arrival++;
    struct item *it = t->arrival < n_items ? &items[t->arrival] : NULL;
    if (!it || it->head->kind != HD_ARRIVAL_SIGNAL || it->played)
        return false;
    t->arrival++;
    return play(it);
}

void hd_rt_arrivals_before(struct hd_thread *me)
{
    uint64_t path = n_items ? hd_rt_arrivals_path(me) : 0;
    while (me->arrival < n_items) {
        struct item *it = &items[me->arrival];
        const uint32_t *ready = it->data;
        if (it->head->thread != path) {
            me->arrival++;
            continue;
        }
        if (!it->played && it->head->kind == HD_ARRIVAL_ACCEPT)
            play(it);
        if (it->head->kind == HD_ARRIVAL_READ)
            make_ready(it->head->id << 2 | HD_SOURCE_CONNECTION);
        if (it->head->kind == HD_ARRIVAL_DATAGRAM)
            make_ready(it->head->id << 2 | HD_SOURCE_DATAGRAM);
        for (size_t i = 0; it->head->kind == HD_ARRIVAL_READY && i < it->head->len / 4; i++)
            make_ready(ready[i]);
        if (it->head->kind == HD_ARRIVAL_SIGNAL && !it->played)
            play(it);
        me->arrival++;
        if (it->head->kind != HD_ARRIVAL_SIGNAL)
            return;
    }
}

void hd_rt_arrivals_listens(int fd)
{
    uint32_t id = n_listeners++;
    struct hd_fd at = hd_rt_fd(fd);
    keep(&at, id, HD_SOURCE_LISTENER);
    if (id >= room_listeners)
        return;
    socklen_t n = sizeof *addresses;
    if (socket_call(SYS_getsockname, fd, &addresses[id], (long)&n) >= 0)
        address_lens[id] = n;
}

/* The connection of ours that was made first and has not been accepted. */
static uint32_t oldest(uint32_t listener)
{
    for (size_t i = 0; i < n_items; i++) {
        const struct hd_arrivals_item *h = items[i].head;
        if (h->kind == HD_ARRIVAL_ACCEPT && h->id < room_conns && conns[h->id].waiting &&
            conns[h->id].listener == listener)
            return h->id;
    }
    return UINT32_MAX;
}

void hd_rt_arrivals_accepted(int listener, int fd, bool outside)
{
    struct hd_fd ends[2] = {hd_rt_fd(listener), hd_rt_fd(fd)};
    const struct source *s = find(&ends[0]);
    if (!s)
        return;
    uint32_t at = s->id;
    if (fd < 0 || !outside) {
        log_item(HD_ARRIVAL_NOTHING, 0, NULL, 0);
        return;
    }
    uint32_t id = rt.follow ? oldest(at) : n_conns++;
    if (id == UINT32_MAX)
        return;
    if (rt.follow)
        conns[id].waiting = false;
    keep(&ends[1], id, HD_SOURCE_CONNECTION);
    log_item(HD_ARRIVAL_ACCEPT, id, &at, sizeof at);
}

/* r bytes of a message that may have been longer than the room for it. */
static void log_bytes(enum hd_arrival kind, uint32_t id, size_t r, const struct iovec *v,
                      size_t parts)
{
    size_t n = 0;
    for (size_t i = 0; i < parts; i++)
        n += v[i].iov_len;
    n = n < r ? n : r;
    rt.header->took |= HD_TOOK_CLIENT;
    uint8_t *to =
        rt.follow || rt.tapped ? NULL : hd_rt_log_begin(0, 0, (uint64_t)id << 8 | kind, n);
    if (!to)
        return;
    for (size_t i = 0; i < parts && n; i++) {
        size_t part = v[i].iov_len < n ? v[i].iov_len : n;
        hd_rt_memmove(to, v[i].iov_base, part);
        to += part;
        n -= part;
    }
    hd_rt_log_end(HD_LOG_ARRIVAL, to);
}

static void was_read(const struct source *s)
{
    struct gram *g = s->kind == HD_SOURCE_DATAGRAM ? gram_of(s->id) : NULL;
    if (g)
        g->unread = false;
    else if (s->id < room_conns)
        conns[s->id].unread = false;
}

void hd_rt_arrivals_read(const struct hd_fd *at, long r, const struct iovec *v, size_t parts,
                         bool peeks)
{
    const struct source *s = find(at);
    if (!s || s->kind == HD_SOURCE_LISTENER)
        return;
    uint32_t ready = s->id << 2 | s->kind;
    bool gram = s->kind == HD_SOURCE_DATAGRAM;
    if (rt.follow && (r > 0 || (gram && r == 0)) && !peeks)
        was_read(s);
    if (r < 0)
        log_item(HD_ARRIVAL_NOTHING, 0, NULL, 0);
    else if (peeks)
        log_item(HD_ARRIVAL_READY, 0, &ready, sizeof ready);
    else
        log_bytes(gram ? HD_ARRIVAL_DATAGRAM : HD_ARRIVAL_READ, s->id, (size_t)r, v, parts);
}

void hd_rt_arrivals_polled(const struct pollfd *fds, size_t n)
{
    uint32_t ready[64], used = 0;
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        struct hd_fd at = hd_rt_fd(fds[i].fd);
        const struct source *s = find(&at);
        any = any || s;
        if (s && fds[i].revents & (POLLIN | POLLHUP | POLLRDHUP) && used < 64)
            ready[used++] = s->id << 2 | s->kind;
    }
    if (any)
        log_item(HD_ARRIVAL_READY, 0, ready, used * sizeof *ready);
}
