#include "lock_trace.h"

#include "base/rng.h"
#include "trace/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 8, DEPTH = 3 };

struct maker {
    const struct hd_lock_trace *config;
    struct hd_rng rng;
    char *text;
    size_t at, cap;
    uint32_t events;
    uint32_t owner[MAX], readers[MAX]; /* thread + 1; number */
    struct {
        uint32_t held[DEPTH], n; /* lock * 2 + shared */
        bool started, ended;
    } threads[MAX];
    uint32_t memory[2];
};

static void put(struct maker *m, uint32_t thread, const char *op, uint32_t number, int value)
{
    char arg[48] = "";
    if (value >= 0)
        snprintf(arg, sizeof arg, "(x%u,%d)", number, value);
    else if (op[0] == 'f' || op[0] == 'j')
        snprintf(arg, sizeof arg, "(t%u)", number);
    else if (op[0] != 'b')
        snprintf(arg, sizeof arg, "(l%u)", number);
    m->at += (size_t)snprintf(m->text + m->at, m->cap - m->at, "t%u|%s%s|f.c:%u\n", thread, op, arg,
                              ++m->events);
}

static bool holds(const struct maker *m, uint32_t thread, uint32_t lock)
{
    for (uint32_t i = 0; i < m->threads[thread].n; i++)
        if (m->threads[thread].held[i] / 2 == lock)
            return true;
    return false;
}

static void take(struct maker *m, uint32_t u)
{
    uint32_t lock = hd_rng_below(&m->rng, m->config->locks);
    bool shared = m->config->rwlocks && hd_rng_chance(&m->rng, 40);
    if (m->threads[u].n == DEPTH || holds(m, u, lock) || m->owner[lock] ||
        (!shared && m->readers[lock]))
        return;
    m->threads[u].held[m->threads[u].n++] = lock * 2 + shared;
    if (shared)
        m->readers[lock]++;
    else
        m->owner[lock] = u + 1;
    put(m, u, shared ? "racq" : "acq", lock, -1);
}

static void give(struct maker *m, uint32_t u)
{
    uint32_t n = m->threads[u].n;
    if (!n)
        return;
    uint32_t i = hd_rng_chance(&m->rng, 75) ? n - 1 : hd_rng_below(&m->rng, n);
    uint32_t lock = m->threads[u].held[i] / 2;
    bool shared = m->threads[u].held[i] % 2;
    memmove(m->threads[u].held + i, m->threads[u].held + i + 1,
            (n - i - 1) * sizeof m->threads[u].held[0]);
    m->threads[u].n--;
    if (shared)
        m->readers[lock]--;
    else
        m->owner[lock] = 0;
    put(m, u, shared ? "rrel" : "rel", lock, -1);
}

static void touch(struct maker *m, uint32_t u)
{
    uint32_t loc = hd_rng_below(&m->rng, 2);
    if (m->config->data && hd_rng_chance(&m->rng, 30)) {
        put(m, u, "br", 0, -1);
    } else if (hd_rng_chance(&m->rng, 50)) {
        put(m, u, "r", loc, (int)m->memory[loc]);
    } else {
        m->memory[loc] = hd_rng_below(&m->rng, 3);
        put(m, u, "w", loc, (int)m->memory[loc]);
    }
}

/* The first thread makes another, or waits for one, which then does nothing more. */
static void manage(struct maker *m)
{
    for (uint32_t u = 1; u < m->config->threads; u++) {
        if (!m->threads[u].started) {
            m->threads[u].started = true;
            put(m, 0, "fork", u, -1);
            return;
        }
        if (!m->threads[u].ended && !m->threads[u].n && hd_rng_chance(&m->rng, 30)) {
            m->threads[u].ended = true;
            put(m, 0, "join", u, -1);
            return;
        }
    }
}

static void step(struct maker *m)
{
    uint32_t u = hd_rng_below(&m->rng, m->config->threads);
    if (m->config->forks && hd_rng_chance(&m->rng, 15)) {
        manage(m);
        return;
    }
    if (!m->threads[u].started || m->threads[u].ended)
        return;
    uint32_t draw = hd_rng_below(&m->rng, 10);
    if (draw < 5)
        take(m, u);
    else if (draw < 8)
        give(m, u);
    else
        touch(m, u);
}

struct hd_trace *hd_lock_trace(const struct hd_lock_trace *config)
{
    struct maker m = {.config = config, .cap = 64 * (config->events + 4)};
    struct hd_trace *t = NULL;
    struct hd_err err = {0};
    m.text = malloc(m.cap);
    hd_rng_init(&m.rng, config->seed);
    m.at = (size_t)snprintf(m.text, m.cap, "!control branches\n!init x0 0\n!init x1 0\n");
    for (uint32_t u = 0; u < config->threads; u++)
        m.threads[u].started = u == 0 || !config->forks;
    for (uint32_t i = 0; i < 20 * config->events && m.events < config->events; i++)
        step(&m);
    if (hd_text_read(m.text, m.at, "lock_trace", &t, &err) != HD_OK)
        fprintf(stderr, "%s\n", err.text);
    free(m.text);
    return t;
}
