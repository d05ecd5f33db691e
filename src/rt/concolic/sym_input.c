/* Inputs: objects, arguments, environment, results of functions. Runs in the user's process; see
 * the rules in rt.h. */
#include "rt/core/range_log.h"
#include "rt/concolic/rt_sym.h"
#include "rt/concolic/sym_models.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

static size_t length(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

static bool starts(const char *text, size_t len, const char *prefix, size_t n)
{
    if (len < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (text[i] != prefix[i])
            return false;
    return true;
}

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* The next given object after `at` (0: the first), or NULL. */
static const struct hd_sym_given *next_given(size_t *at)
{
    const struct hd_sym_header *h = hd_rt_sym.header;
    size_t end = h->given_bytes < HD_SYM_MAX_GIVEN ? h->given_bytes : HD_SYM_MAX_GIVEN;
    if (*at + sizeof(struct hd_sym_given) > end)
        return NULL;
    const struct hd_sym_given *g = (void *)(hd_rt_sym.base + HD_SYM_AT_GIVEN + *at);
    *at += sizeof *g + padded(g->name_len) + padded(g->size);
    return *at <= end ? g : NULL;
}

static const char *given_name(const struct hd_sym_given *g)
{
    return (const char *)(g + 1);
}

/* "input:file:NAME" or "call:NAME"; a number may follow after a colon. */
bool hd_rt_sym_setting(const char *kind, const char *name, uint64_t *number)
{
    size_t at = 0, k = length(kind), n = length(name);
    if (!hd_rt_sym.on)
        return false;
    for (const struct hd_sym_given *g = next_given(&at); g; g = next_given(&at)) {
        const char *text = given_name(g);
        if (!starts(text, g->name_len, kind, k) || !starts(text + k, g->name_len - k, name, n))
            continue;
        size_t used = k + n;
        if (used < g->name_len && text[used] != ':')
            continue;
        *number = 0;
        for (used++; used < g->name_len && text[used] >= '0' && text[used] <= '9'; used++)
            *number = *number * 10 + (uint64_t)(text[used] - '0');
        return true;
    }
    return false;
}

static const struct hd_sym_given *find_given(const char *name)
{
    size_t at = 0, n = length(name);
    for (const struct hd_sym_given *g = next_given(&at); g; g = next_given(&at))
        if (g->name_len == n && starts(given_name(g), n, name, n))
            return g;
    return NULL;
}

static struct hd_sym_object *object(uint32_t number)
{
    return (struct hd_sym_object *)(hd_rt_sym.base + HD_SYM_AT_OBJECTS) + number;
}

/* "name", then "name#2", "name#3". */
static void name_object(struct hd_sym_object *o, const char *name)
{
    size_t n = 0;
    for (; name[n] && n < sizeof o->name - 12; n++)
        o->name[n] = name[n] > ' ' && name[n] < 127 && name[n] != '"' ? name[n] : '_';
    o->name[n] = 0;
    unsigned before = 0;
    for (uint32_t i = 0; i < hd_rt_sym.header->n_objects; i++) {
        const char *other = object(i)->name;
        before += starts(other, length(other), o->name, n) && (!other[n] || other[n] == '#');
    }
    if (before == 0)
        return;
    char digits[12];
    unsigned k = 0;
    for (unsigned v = before + 1; v; v /= 10)
        digits[k++] = (char)('0' + v % 10);
    o->name[n++] = '#';
    while (k)
        o->name[n++] = digits[--k];
    o->name[n] = 0;
}

uint32_t hd_rt_sym_input(const char *name, void *p, size_t n)
{
    struct hd_sym_header *h = hd_rt_sym.header;
    if (h->n_objects >= HD_SYM_MAX_OBJECTS || n > HD_SYM_MAX_DATA - h->n_data) {
        h->lost[HD_SYM_LOST_FULL]++;
        return UINT32_MAX;
    }
    uint32_t number = h->n_objects;
    struct hd_sym_object *o = object(number);
    name_object(o, name);
    o->size = (uint32_t)n;
    o->start = h->n_data;
    const struct hd_sym_given *g = find_given(o->name);
    const uint8_t *bytes = g ? (const uint8_t *)given_name(g) + padded(g->name_len) : NULL;
    uint8_t *data = hd_rt_sym.base + HD_SYM_AT_DATA + h->n_data, *to = p;
    h->n_data += (uint32_t)n;
    h->n_objects++;
    for (size_t i = 0; i < n; i++) {
        if (g && i < g->size)
            to[i] = bytes[i];
        data[i] = to[i];
        hd_rt_sym_set_byte(to + i, hd_rt_sym_make(HD_SYM_INPUT, 8, number, (uint32_t)i, 0, to[i]));
    }
    return number;
}

/* ---- arguments and environment ---- */

/* A copy with room for `size` bytes, all of them input, and a final zero. */
static char *longer(const char *name, const char *text, size_t size)
{
    size_t n = length(text);
    if (size < n)
        size = n;
    char *buf = hd_rt_mem(size + 1);
    for (size_t i = 0; i < n; i++)
        buf[i] = text[i];
    hd_rt_sym_input(name, buf, size);
    return buf;
}

static void number_name(char *out, const char *prefix, unsigned number)
{
    char digits[12];
    unsigned k = 0;
    while (*prefix)
        *out++ = *prefix++;
    do
        digits[k++] = (char)('0' + number % 10);
    while (number /= 10);
    while (k)
        *out++ = digits[--k];
    *out = 0;
}

static void start_argv(int argc, char **argv)
{
    char name[32], key[32];
    uint64_t size;
    for (int i = 1; i < argc; i++) {
        number_name(name, "argv", (unsigned)i);
        number_name(key, "", (unsigned)i);
        if (hd_rt_sym_setting("input:argv:", key, &size))
            argv[i] = longer(name, argv[i], size);
    }
}

/* The string "NAME=value": the value alone is input. */
static void start_env(void)
{
    for (char **e = environ; e && *e; e++) {
        char name[64];
        uint64_t size;
        size_t n = 0, k = 0;
        while ((*e)[n] && (*e)[n] != '=')
            n++;
        if (n >= sizeof name - 8 || !(*e)[n])
            continue;
        for (; k < n; k++)
            name[k] = (*e)[k];
        name[k] = 0;
        if (!hd_rt_sym_setting("input:env:", name, &size))
            continue;
        char full[80] = "env:";
        for (k = 0; k <= n; k++)
            full[4 + k] = name[k];
        size_t len = length(*e + n + 1), room = size > len ? size : len;
        char *buf = hd_rt_mem(n + room + 2);
        for (size_t i = 0; i < n + 1 + len; i++)
            buf[i] = (*e)[i];
        hd_rt_sym_input(full, buf + n + 1, room);
        *e = buf;
    }
}

__attribute__((constructor(102))) static void at_start(int argc, char **argv)
{
    uint64_t size;
    hd_rt_sym_open();
    if (!hd_rt_sym.on)
        return;
    start_argv(argc, argv);
    start_env();
    if (hd_rt_sym_setting("input:stdin", "", &size))
        hd_rt_sym_stdin(size);
}

/* ---- results ---- */

/* What the C library promises about results that it makes up. */
static uint64_t largest_result(const char *name, unsigned width)
{
    static const char *const small[] = {"rand", "random", "rand_r", "time", "lrand48"};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (length(name) == length(small[i]) && starts(name, length(name), small[i], length(name)))
            return name[0] == 't' ? (uint64_t)INT64_MAX >> (64 - width) : 0x7fffffff;
    return 0;
}

static uint64_t new_result(const char *name, unsigned width, uint64_t real)
{
    uint8_t bytes[8];
    uint64_t v = 0, limit = largest_result(name, width);
    unsigned n = (width + 7) / 8;
    for (unsigned i = 0; i < n; i++)
        bytes[i] = (uint8_t)(real >> 8 * i);
    hd_rt_sym_input(name, bytes, n);
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)bytes[i] << 8 * i;
    uint32_t id = hd_rt_sym_bytes(bytes, n, v);
    hd_rt_sym_set_bytes(bytes, n, 0);
    if (limit && id) {
        uint32_t ok =
            hd_rt_sym_make(HD_SYM_ULE, 1, id, hd_rt_sym_const(width, limit), 0, v <= limit);
        hd_rt_sym_step(ok, v <= limit, HD_SYM_ASSUME, HD_SYM_NO_OUTCOME, HD_SYM_NO_OUTCOME);
    }
    __hd_sym_flow.ret = id;
    return v;
}

/* ---- failures ---- */

/* Functions of which only the failure is input. Those before which the runtime stands are not even
 * called then; what the others opened is closed again. */
static const struct failure {
    const char *name;
    int error;
    bool early;
} failures[] = {
    {"pthread_create", EAGAIN, true},
    {"pthread_mutex_trylock", EBUSY, true},
    {"pthread_mutex_init", ENOMEM, true},
    {"pthread_cond_init", ENOMEM, true},
    {"read", EIO, true},

    {"open", ENOENT, false},
    {"open64", ENOENT, false},
    {"fopen", ENOENT, false},
    {"fopen64", ENOENT, false},
};

static const struct failure *failure_of(const char *name)
{
    size_t n = length(name);
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (length(failures[i].name) == n && starts(name, n, failures[i].name, n))
            return &failures[i];
    return NULL;
}

/* One byte of input: 0, and the call is made. */
static bool chosen_to_fail(const char *name)
{
    uint8_t byte = 0;
    hd_rt_sym_input(name, &byte, 1);
    uint32_t id = hd_rt_sym_byte(&byte);
    hd_rt_sym_set_byte(&byte, 0);
    if (id)
        hd_rt_sym_step(hd_rt_sym_make(HD_SYM_NE, 1, id, hd_rt_sym_const(8, 0), 0, byte != 0),
                       byte != 0, HD_SYM_CHECK, HD_SYM_NO_OUTCOME, HD_SYM_NO_OUTCOME);
    hd_rt_sym_past(byte != 0);
    return byte != 0;
}

int hd_rt_sym_fails(const char *name)
{
    uint64_t none;
    const struct failure *f = hd_rt_sym.on ? failure_of(name) : NULL;
    return f && hd_rt_sym_setting("call:", name, &none) && chosen_to_fail(name) ? f->error : 0;
}

static uint64_t fail_late(const struct failure *f, uint64_t real, bool pointer)
{
    __hd_sym_flow.ret = 0;
    if (f->early || (pointer ? !real : (int)real < 0) || !chosen_to_fail(f->name))
        return real;
    if (pointer)
        fclose((FILE *)real);
    else
        close((int)real);
    errno = f->error;
    return pointer ? 0 : UINT64_MAX;
}

HD_EXPORT uint64_t __hd_sym_result(void *name, void *cache, uint32_t kind, uint64_t real,
                                   uint32_t id)
{
    uint64_t none;
    unsigned width = kind & 0xff;
    __hd_sym_flow.ret = id;
    if (!hd_rt_sym.on || !hd_rt_sym_setting("call:", name, &none)) {
        *(uint8_t *)cache = 1;
        return real;
    }
    const struct failure *f = failure_of(name);
    if (f)
        return fail_late(f, real, kind & 256);
    if (!(kind & 256) && width % 8 == 0)
        return new_result(name, width, real);
    if (kind & 256 && real) /* a string: its characters are the input */
        hd_rt_sym_input(name, (void *)real, length((char *)real));
    return real;
}

HD_EXPORT uint64_t __hd_model_getenv(uint64_t result, uint64_t name)
{
    uint64_t none;
    char *text = (char *)result;
    (void)name;
    if (hd_rt_sym.on && text && hd_rt_sym_setting("call:", "getenv", &none) &&
        !hd_rt_sym_any(text, length(text)))
        hd_rt_sym_input("getenv", text, length(text));
    return result;
}

/* heddle/annotate.h */
HD_EXPORT void __hd_make_symbolic(void *p, size_t n, const char *name)
{
    if (!hd_rt_ready)
        hd_rt_init();
    hd_rt_sym_open();
    struct hd_thread *me = hd_rt_sym.on ? hd_rt_enter() : NULL;
    if (!me)
        return;
    hd_rt_sym_input(name ? name : "unnamed", p, n);
    hd_rt_wrote(HD_PC, p, n);
    hd_rt_leave(me);
}
