#include "solve/solve.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/sanitized.h"
#include "solve/link.h"
#include "solve/wire.h"
#include "solve/z3_calls.h"

#include <stdio.h>

/* What is said goes out in pieces of this size, so that a large formula is not held twice. */
enum { PIECE = 1 << 18 };

struct hd_solver {
    struct hd_solver_limits limits;
    struct hd_link link; /* opened when the first piece goes out */
    struct hd_wire wire;
    uint32_t bools, orders;
    uint64_t clauses;
    enum hd_lost lost;
};

void hd_solver_prepare(unsigned n)
{
    if (HD_SANITIZED)
        hd_links_start(n);
}

struct hd_solver *hd_solver_new(struct hd_solver_limits limits)
{
    struct hd_solver *s = hd_calloc(1, sizeof *s);
    s->limits = limits;
    s->bools = 1; /* HD_LIT_TRUE */
    hd_wire_put(&s->wire, HD_WIRE_NEW_ORDER);
    hd_wire_put(&s->wire, limits.memory);
    return s;
}

void hd_solver_free(struct hd_solver *s)
{
    if (!s)
        return;
    hd_link_close(&s->link, s->lost == HD_LOST_NOT);
    hd_wire_fini(&s->wire);
    hd_free(s, sizeof *s);
}

static bool send_wire(struct hd_solver *s, double until)
{
    if (s->lost == HD_LOST_NOT && !s->link.pid)
        hd_link_open(&s->link);
    if (s->link.pid)
        hd_link_send(&s->link, s->wire.data, s->wire.len, until);
    s->wire.len = 0;
    s->lost = s->lost == HD_LOST_NOT ? s->link.lost : s->lost;
    return s->lost == HD_LOST_NOT;
}

static void put(struct hd_solver *s, enum hd_wire_op op)
{
    if (s->wire.len >= PIECE)
        send_wire(s, s->limits.deadline);
    hd_wire_put(&s->wire, op);
}

static void put_literals(struct hd_solver *s, const hd_lit *lits, size_t n)
{
    hd_wire_put(&s->wire, n);
    for (size_t i = 0; i < n; i++)
        hd_wire_put_signed(&s->wire, lits[i]);
}

hd_lit hd_solver_bool(struct hd_solver *s)
{
    put(s, HD_WIRE_BOOL);
    return (hd_lit)++s->bools;
}

hd_ord hd_solver_order(struct hd_solver *s)
{
    put(s, HD_WIRE_ORDER);
    return s->orders++;
}

static hd_lit compare(struct hd_solver *s, enum hd_wire_op op, hd_ord x, hd_ord y)
{
    put(s, op);
    hd_wire_put(&s->wire, x);
    hd_wire_put(&s->wire, y);
    return (hd_lit)++s->bools;
}

hd_lit hd_solver_before(struct hd_solver *s, hd_ord x, hd_ord y)
{
    return compare(s, HD_WIRE_BEFORE, x, y);
}

void hd_solver_clause(struct hd_solver *s, const hd_lit *lits, size_t n)
{
    put(s, HD_WIRE_CLAUSE);
    put_literals(s, lits, n);
    s->clauses++;
}

hd_lit hd_solver_at_least(struct hd_solver *s, const hd_lit *lits, size_t n, uint32_t k)
{
    if (k == 0)
        return HD_LIT_TRUE;
    if (k > n)
        return HD_LIT_FALSE;
    put(s, HD_WIRE_AT_LEAST);
    hd_wire_put(&s->wire, k);
    put_literals(s, lits, n);
    return (hd_lit)++s->bools;
}

enum hd_sat hd_solver_check(struct hd_solver *s, const hd_lit *assumptions, size_t n,
                            double seconds)
{
    enum hd_sat sat = HD_SAT_UNKNOWN;
    double until = seconds > 0 ? hd_progress_now() + seconds : 0;
    if (s->limits.deadline != 0 && (until == 0 || s->limits.deadline < until))
        until = s->limits.deadline;
    put(s, HD_WIRE_CHECK);
    put_literals(s, assumptions, n);
    if (!send_wire(s, until))
        return HD_SAT_UNKNOWN;
    double asked = hd_progress_now();
    hd_link_answer(&s->link, &sat, until);
    s->lost = s->link.lost;
    HD_DEBUG_LINE(SOLVE, "answer %s%s after %.3f s; %llu clauses, %zu assumptions",
                  sat == HD_SAT_YES  ? "yes"
                  : sat == HD_SAT_NO ? "no"
                                     : "unknown",
                  s->lost == HD_LOST_NOT ? "" : " (solver lost)", hd_progress_now() - asked,
                  (unsigned long long)s->clauses, n);
    if (sat == HD_SAT_UNKNOWN && s->lost == HD_LOST_NOT)
        s->lost = HD_LOST_FAILED; /* Z3 reports that it does not know: our formulas are decidable */
    return sat;
}

/* The other side answers while it reads: no more is asked at once than the sockets hold. */
enum { QUESTIONS = 1024 };

/* The n numbers that the question on the wire asks for. */
static bool receive(struct hd_solver *s, int64_t *numbers, size_t n)
{
    if (send_wire(s, s->limits.deadline))
        hd_link_recv(&s->link, numbers, n * sizeof *numbers, s->limits.deadline);
    s->lost = s->lost == HD_LOST_NOT ? s->link.lost : s->lost;
    return s->lost == HD_LOST_NOT;
}

static size_t questions(size_t left)
{
    return left < QUESTIONS ? left : QUESTIONS;
}

bool hd_solver_places(struct hd_solver *s, const hd_ord *orders, size_t n, int64_t *places)
{
    bool good = true;
    for (size_t from = 0, some; from < n && good; from += some) {
        some = questions(n - from);
        put(s, HD_WIRE_PLACES);
        hd_wire_put(&s->wire, some);
        for (size_t i = from; i < from + some; i++)
            hd_wire_put(&s->wire, orders[i]);
        good = receive(s, places + from, some);
    }
    return good;
}

bool hd_solver_values(struct hd_solver *s, const hd_lit *lits, size_t n, bool *values)
{
    int64_t numbers[QUESTIONS];
    bool good = true;
    for (size_t from = 0, some; from < n && good; from += some) {
        some = questions(n - from);
        put(s, HD_WIRE_TRUTHS);
        put_literals(s, lits + from, some);
        good = receive(s, numbers, some);
        for (size_t i = 0; i < some && good; i++)
            values[from + i] = numbers[i] != 0;
    }
    return good;
}

enum hd_lost hd_solver_lost(const struct hd_solver *s)
{
    return s->lost;
}

const char *hd_solver_version(void)
{
    static char text[32];
    unsigned major, minor, build, revision;
    if (!hd_z3_load())
        return hd_z3_missing();
    if (!text[0]) {
        hd_z3.get_version(&major, &minor, &build, &revision);
        snprintf(text, sizeof text, "Z3 %u.%u.%u", major, minor, build);
    }
    return text;
}
