#include "abi/sym_abi.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/names.h"
#include "replay/replay_int.h"
#include "log/rt_log.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define DIFF_LINES 20  /* shown of each side */
#define LINE_BYTES 200 /* of a line */

/* glibc: "prog: file.c:12: main: Assertion `x' failed."; the program's name says nothing. */
static char *assertion_in(const char *text)
{
    const char *at = strstr(text, ": Assertion `"), *misuse = strstr(text, HD_SYM_MISUSE);
    if (!at && misuse) {
        misuse += sizeof HD_SYM_MISUSE - 1;
        return hd_strndup(misuse, strcspn(misuse, "\n"));
    }
    if (!at)
        return NULL;
    const char *start = at, *end = strchr(at, '\n');
    while (start > text && start[-1] != '\n')
        start--;
    end = end ? end : at + strlen(at);
    const char *name = strstr(start, ": ");
    if (name && name < at)
        start = name + 2;
    return hd_strndup(start, (size_t)(end - start));
}

void hd_replay_describe(struct hd_replay_order *o, int status)
{
    char text[600];
    o->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    o->signal = WIFSIGNALED(status) && !o->timeout ? WTERMSIG(status) : 0;
    o->assertion = assertion_in(o->err);
    if (o->timeout) {
        snprintf(text, sizeof text, "did not end in time");
        o->exit_status = -1;
    } else if (o->deadlock) {
        snprintf(text, sizeof text, "deadlock");
        o->exit_status = -1;
    } else if (o->waits) {
        snprintf(text, sizeof text, "waits for more from outside");
        o->exit_status = -1;
    } else if (o->assertion) {
        snprintf(text, sizeof text, "%s%.500s",
                 strstr(o->assertion, "Assertion `") ? "assertion failed: " : "", o->assertion);
    } else if (o->signal) {
        const char *name = sigabbrev_np(o->signal);
        snprintf(text, sizeof text, "killed by SIG%s", name ? name : "?");
    } else {
        snprintf(text, sizeof text, "exit %d", o->exit_status);
    }
    o->summary = hd_strndup(text, strlen(text));
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

bool hd_replay_equal(const struct hd_replay_order *a, const struct hd_replay_order *b)
{
    for (int i = 0; i < 2; i++) {
        const struct hd_replay_access *x = &a->access[i], *y = &b->access[i];
        if (x->address != y->address || x->size != y->size || !same_text(x->value, y->value) ||
            !same_text(x->thread, y->thread))
            return false;
    }
    return a->verdict == b->verdict && same_text(a->summary, b->summary) &&
           a->out_total == b->out_total && a->err_total == b->err_total &&
           a->out_len == b->out_len && !memcmp(a->out, b->out, a->out_len) &&
           a->err_len == b->err_len && !memcmp(a->err, b->err, a->err_len) &&
           !strcmp(a->digest, b->digest);
}

struct lines {
    const char *p, *end;
};

static bool next_line(struct lines *l, const char **line, size_t *len)
{
    if (l->p == l->end)
        return false;
    const char *stop = memchr(l->p, '\n', (size_t)(l->end - l->p));
    *line = l->p;
    *len = (size_t)((stop ? stop : l->end) - l->p);
    l->p = stop ? stop + 1 : l->end;
    return true;
}

static size_t common_lines(struct lines a, struct lines b)
{
    const char *x, *y;
    size_t n, m, bytes = 0;
    const char *start = a.p;
    while (next_line(&a, &x, &n) && next_line(&b, &y, &m) && n == m && !memcmp(x, y, n))
        bytes = (size_t)(a.p - start);
    return bytes;
}

/* Whole lines that both end with. */
static size_t common_tail(struct lines a, struct lines b)
{
    size_t most = (size_t)(a.end - a.p), other = (size_t)(b.end - b.p), same = 0, lines = 0;
    most = most < other ? most : other;
    while (same < most && a.end[-1 - (long)same] == b.end[-1 - (long)same]) {
        same++;
        bool at_start = same == most || a.end[-1 - (long)same] == '\n';
        if (at_start)
            lines = same;
    }
    return lines == most && most != (size_t)(a.end - a.p) && a.end[-1 - (long)lines] != '\n'
               ? 0
               : lines;
}

static void put_lines(struct hd_bytes *out, char sign, struct lines l)
{
    const char *line;
    size_t len, n = 0;
    for (; next_line(&l, &line, &len); n++) {
        if (n == DIFF_LINES) {
            hd_bytes_put(out, &sign, 1);
            hd_bytes_put(out, " ...\n", 5);
            return;
        }
        hd_bytes_put(out, &sign, 1);
        hd_bytes_put(out, line, len < LINE_BYTES ? len : LINE_BYTES);
        hd_bytes_put(out, "\n", 1);
    }
}

/* One hunk: what lies between the first and the last line that differ. */
static void put_diff(struct hd_bytes *out, const char *title, struct lines a, struct lines b)
{
    size_t head = common_lines(a, b);
    a.p += head;
    b.p += head;
    size_t tail = common_tail(a, b);
    a.end -= tail;
    b.end -= tail;
    if (a.p == a.end && b.p == b.end)
        return;
    hd_bytes_put(out, title, strlen(title));
    put_lines(out, '-', a);
    put_lines(out, '+', b);
}

static struct lines steady_of(const struct hd_replay_order *o, int stream)
{
    const char *all = stream ? o->err : o->out;
    size_t len = stream ? o->err_len : o->out_len;
    return o->steady[stream]
               ? (struct lines){o->steady[stream], o->steady[stream] + o->steady_len[stream]}
               : (struct lines){all, all + len};
}

/* The lines of a that b has, too, wherever. */
static char *common_to(struct lines a, struct lines b, size_t *bytes)
{
    struct hd_names seen = {0};
    const char *line;
    size_t len;
    uint32_t id;
    char *text = hd_alloc((size_t)(a.end - a.p) + 2);
    *bytes = 0;
    while (next_line(&b, &line, &len))
        hd_names_add(&seen, line, len);
    while (next_line(&a, &line, &len))
        if (hd_names_find(&seen, line, len, &id)) {
            memcpy(text + *bytes, line, len);
            *bytes += len;
            text[(*bytes)++] = '\n';
        }
    hd_names_fini(&seen);
    return text;
}

void hd_replay_steady(const struct hd_replay_order *before, struct hd_replay_order *o)
{
    for (int i = 0; i < 2; i++) {
        struct lines a = steady_of(o, i), b = steady_of(before, i);
        size_t len = (size_t)(a.end - a.p);
        if (len == (size_t)(b.end - b.p) && !memcmp(a.p, b.p, len))
            continue;
        char *text = common_to(a, b, &o->steady_len[i]);
        o->steady[i] = hd_strndup(text, o->steady_len[i]);
        hd_free(text, len + 2);
    }
}

char *hd_replay_diff(const struct hd_replay_order *a, const struct hd_replay_order *b)
{
    static const char *const titles[] = {"standard output:\n", "standard error:\n"};
    struct hd_bytes out = {0};
    for (int i = 0; i < 2; i++)
        put_diff(&out, titles[i], steady_of(a, i), steady_of(b, i));
    char *text = NULL;
    if (out.len)
        text = hd_strndup((const char *)out.data, strnlen((const char *)out.data, out.len));
    hd_bytes_fini(&out);
    return text;
}
