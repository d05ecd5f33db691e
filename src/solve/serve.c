#include "solve/serve.h"

#include "base/sanitized.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SOCKET = 3 };

/* ---- the process ---- */

static _Noreturn void no_memory(size_t bytes)
{
    (void)bytes;
    _exit(HD_SERVE_NO_MEMORY);
}

/* The tool has closed its end, whatever Z3 is doing. Data that arrives comes here as well. */
static void on_socket(int sig)
{
    (void)sig;
    int saved = errno;
    struct pollfd p = {.fd = SOCKET, .events = POLLRDHUP};
    if (poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR))
        _exit(0);
    errno = saved;
}

/* No handler of the tool runs here. The tool decides when to stop: a Ctrl-C for the whole process
 * group is not for us. */
static void set_signals(void)
{
    struct sigaction hup = {.sa_handler = on_socket, .sa_flags = SA_RESTART};
    sigset_t none;
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, sig == SIGINT || sig == SIGTERM ? SIG_IGN : SIG_DFL);
    sigemptyset(&hup.sa_mask);
    sigaction(SIGIO, &hup, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Nothing of the tool's stays open here: a reader of its output must not wait for us. */
static void set_files(int fd)
{
    int null = open("/dev/null", O_RDWR);
    int socket = fcntl(fd, F_DUPFD, SOCKET + 1);
    for (int i = 0; i < SOCKET; i++)
        dup2(null, i);
    dup2(socket, SOCKET);
    close_range(SOCKET + 1, ~0u, 0);
    fcntl(SOCKET, F_SETOWN, getpid());
    fcntl(SOCKET, F_SETFL, O_ASYNC);
}

static size_t address_space(void)
{
    unsigned long pages = 0;
    char text[64] = "";
    int fd = open("/proc/self/statm", O_RDONLY);
    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0)
        sscanf(text, "%lu", &pages);
    if (fd >= 0)
        close(fd);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Z3 counts what it takes and gives up politely; the system's limit is for what it forgets to
 * count. Sanitizers reserve more than any limit. */
static void limit_memory(const struct hd_serve *s, uint64_t bytes)
{
    char megabytes[32];
    struct rlimit limit;
    snprintf(megabytes, sizeof megabytes, "%llu", (unsigned long long)(bytes >> 20));
    hd_z3.global_param_set("memory_max_size", megabytes);
    if (HD_SANITIZED || getrlimit(RLIMIT_AS, &limit))
        return;
    rlim_t want = bytes ? s->own_memory + bytes + bytes / 4 : limit.rlim_max;
    limit.rlim_cur =
        limit.rlim_max == RLIM_INFINITY || want < limit.rlim_max ? want : limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
}

/* ---- talking ---- */

static uint8_t next_byte(struct hd_serve *s)
{
    while (s->at == s->end) {
        ssize_t n = read(s->fd, s->in, sizeof s->in);
        if (n == 0 || (n < 0 && errno != EINTR))
            _exit(0);
        s->at = 0;
        s->end = n > 0 ? (size_t)n : 0;
    }
    return s->in[s->at++];
}

uint64_t hd_serve_get(struct hd_serve *s)
{
    uint64_t x = 0;
    uint8_t byte;
    unsigned shift = 0;
    do {
        byte = next_byte(s);
        x |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return x;
}

int64_t hd_serve_get_signed(struct hd_serve *s)
{
    uint64_t x = hd_serve_get(s);
    return (int64_t)(x >> 1 ^ (x & 1 ? UINT64_MAX : 0));
}

static void flush(struct hd_serve *s)
{
    const uint8_t *from = s->out;
    while (s->out_len) {
        ssize_t n = send(s->fd, from, s->out_len, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            _exit(0);
        from += n > 0 ? n : 0;
        s->out_len -= n > 0 ? (size_t)n : 0;
    }
}

/* At most 1 KB. */
static void send_reply(struct hd_serve *s, const void *data, size_t bytes)
{
    if (s->out_len + bytes > sizeof s->out)
        flush(s);
    memcpy(s->out + s->out_len, data, bytes);
    s->out_len += bytes;
}

static _Noreturn void misuse(struct hd_serve *s, const char *text)
{
    uint8_t reply = HD_REPLY_MISUSE;
    send_reply(s, &reply, 1);
    send_reply(s, text, strnlen(text, 200));
    flush(s);
    _exit(1);
}

static struct hd_serve *serving; /* Z3's error handler has no argument of ours */

static void on_error(Z3_context ctx, Z3_error_code code)
{
    if (code == Z3_MEMOUT_FAIL)
        no_memory(0);
    if (code != Z3_OK)
        misuse(serving, hd_z3.get_error_msg(ctx, code));
}

/* ---- one formula ---- */

static void drop_model(struct hd_serve *s)
{
    if (s->model)
        hd_z3.model_dec_ref(s->ctx, s->model);
    s->model = NULL;
}

static void drop_formula(struct hd_serve *s)
{
    if (!s->ctx)
        return;
    drop_model(s);
    if (s->solver)
        hd_z3.solver_dec_ref(s->ctx, s->solver);
    s->solver = NULL;
    hd_z3.del_context(s->ctx);
    s->ctx = NULL;
    s->asts->len = s->others->len = 0;
}

/* Z3's solver for differences (a graph of orders and its cycles). Comparisons of two variables are
 * all the arithmetic we have; the general solver, a simplex, is slower by orders of magnitude on
 * long chains of them. */
enum { DIFFERENCES = 1 };

/* A context of its own for each formula: in one that is kept, the numbers of terms, and with them
 * the model that Z3 finds, depend on what was asked before. It costs 1.6 ms of the 4.6 ms of a
 * small question; a new solver in an old context costs as much, since it is the theories that take
 * the time. Questions that may share their learning do so by assumptions, see predict/run/worker.c.
 */
static void new_formula(struct hd_serve *s, bool bits)
{
    drop_formula(s);
    limit_memory(s, hd_serve_get(s));
    Z3_config config = hd_z3.mk_config();
    s->ctx = hd_z3.mk_context(config);
    if (!s->ctx)
        no_memory(0);
    hd_z3.del_config(config);
    hd_z3.set_error_handler(s->ctx, on_error);
    s->int_sort = hd_z3.mk_int_sort(s->ctx);
    s->bool_sort = hd_z3.mk_bool_sort(s->ctx);
    if (bits)
        return;
    s->solver = hd_z3.mk_simple_solver(s->ctx);
    hd_z3.solver_inc_ref(s->ctx, s->solver);
    Z3_params params = hd_z3.mk_params(s->ctx);
    hd_z3.params_inc_ref(s->ctx, params);
    hd_z3.params_set_uint(s->ctx, params, hd_z3.mk_string_symbol(s->ctx, "random_seed"), 0);
    hd_z3.params_set_uint(s->ctx, params, hd_z3.mk_string_symbol(s->ctx, "arith.solver"),
                          DIFFERENCES);
    hd_z3.params_set_bool(s->ctx, params, hd_z3.mk_string_symbol(s->ctx, "ctrl_c"), false);
    hd_z3.solver_set_params(s->ctx, s->solver, params);
    hd_z3.params_dec_ref(s->ctx, params);
    *(Z3_ast *)hd_vec_push(s->asts) = hd_z3.mk_true(s->ctx);
}

void hd_serve_result(struct hd_serve *s, Z3_lbool result)
{
    uint8_t reply = result == Z3_L_TRUE    ? HD_REPLY_YES
                    : result == Z3_L_FALSE ? HD_REPLY_NO
                                           : HD_REPLY_UNKNOWN;
    if (reply == HD_REPLY_UNKNOWN &&
        strstr(hd_z3.solver_get_reason_unknown(s->ctx, s->solver), "memory"))
        reply = HD_REPLY_MEMORY;
    drop_model(s);
    if (reply == HD_REPLY_YES) {
        s->model = hd_z3.solver_get_model(s->ctx, s->solver);
        hd_z3.model_inc_ref(s->ctx, s->model);
    }
    send_reply(s, &reply, 1);
}

void hd_serve_value(struct hd_serve *s, Z3_ast ast)
{
    Z3_ast value = NULL;
    int64_t number = 0;
    uint64_t bits;
    if (!s->model || !hd_z3.model_eval(s->ctx, s->model, ast, true, &value))
        misuse(s, "no model for this term");
    if (hd_z3.get_sort(s->ctx, value) == s->bool_sort)
        number = hd_z3.get_bool_value(s->ctx, value) == Z3_L_TRUE;
    else if (hd_z3.get_numeral_uint64(s->ctx, value, &bits))
        memcpy(&number, &bits, sizeof number);
    else if (!hd_z3.get_numeral_int64(s->ctx, value, &number))
        misuse(s, "a value is not a number");
    send_reply(s, &number, sizeof number);
}

Z3_ast hd_serve_at(const struct hd_vec *v, uint64_t i)
{
    if (i >= v->len)
        misuse(serving, "no such variable");
    return *(Z3_ast *)hd_vec_at(v, i);
}

_Noreturn void hd_serve(int fd)
{
    static struct hd_serve s;
    struct hd_vec asts = HD_VEC_INIT(Z3_ast), others = HD_VEC_INIT(Z3_ast);
    struct hd_vec parts = HD_VEC_INIT(Z3_ast);
    uint8_t hello = 0;
    set_signals();
    set_files(fd);
    prctl(PR_SET_NAME, "heddle-solver");
    hd_alloc_set_oom_hook(no_memory);
    s = (struct hd_serve){.fd = SOCKET, .own_memory = address_space()};
    s.asts = &asts;
    s.others = &others;
    s.parts = &parts;
    serving = &s;
    hd_z3.del_config(hd_z3.mk_config());
    send_reply(&s, &hello, 1);
    for (;;) {
        flush(&s);
        enum hd_wire_op op = (enum hd_wire_op)hd_serve_get(&s);
        if (op == HD_WIRE_NEW_ORDER || op == HD_WIRE_NEW_BITS)
            new_formula(&s, op == HD_WIRE_NEW_BITS);
        else if (op < HD_WIRE_NEW_BITS)
            hd_serve_order(&s, op);
        else
            hd_serve_bits(&s, op);
    }
}
