#include "solve/bitvec.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/vec.h"
#include "solve/link.h"
#include "solve/wire.h"

struct hd_bv {
    struct hd_link link;
    struct hd_wire terms; /* all that was said: a new process has to hear it again */
    size_t sent;          /* bytes of it */
    struct hd_vec widths; /* uint8_t by term - 1 */
    uint64_t checks;
    double seconds;
};

struct hd_bv *hd_bv_new(void)
{
    struct hd_bv *bv = hd_calloc(1, sizeof *bv);
    bv->widths = HD_VEC_INIT(uint8_t);
    hd_wire_put(&bv->terms, HD_WIRE_NEW_BITS);
    hd_wire_put(&bv->terms, HD_SOLVER_MEMORY);
    return bv;
}

void hd_bv_free(struct hd_bv *bv)
{
    if (!bv)
        return;
    hd_link_close(&bv->link, true);
    hd_wire_fini(&bv->terms);
    hd_vec_fini(&bv->widths);
    hd_free(bv, sizeof *bv);
}

/* ---- terms ---- */

static hd_term add(struct hd_bv *bv, enum hd_wire_op op, unsigned width)
{
    HD_ASSERT(width > 0 && width <= 64);
    hd_wire_put(&bv->terms, op);
    *(uint8_t *)hd_vec_push(&bv->widths) = (uint8_t)width;
    return (hd_term)bv->widths.len;
}

unsigned hd_bv_width(struct hd_bv *bv, hd_term a)
{
    HD_ASSERT(a > 0 && a <= bv->widths.len);
    return *(uint8_t *)hd_vec_at(&bv->widths, a - 1);
}

hd_term hd_bv_var(struct hd_bv *bv, unsigned width)
{
    hd_term t = add(bv, HD_WIRE_VAR, width);
    hd_wire_put(&bv->terms, width);
    return t;
}

hd_term hd_bv_const(struct hd_bv *bv, unsigned width, uint64_t value)
{
    hd_term t = add(bv, HD_WIRE_CONST, width);
    hd_wire_put(&bv->terms, width);
    hd_wire_put(&bv->terms, value);
    return t;
}

hd_term hd_bv_binary(struct hd_bv *bv, enum hd_bv_op op, hd_term a, hd_term b)
{
    bool compares = op >= HD_BV_EQ && op <= HD_BV_SLE;
    unsigned x = hd_bv_width(bv, a), y = hd_bv_width(bv, b);
    hd_term t = add(bv, HD_WIRE_BINARY, compares ? 1 : op == HD_BV_CONCAT ? x + y : x);
    hd_wire_put(&bv->terms, op);
    hd_wire_put(&bv->terms, a);
    hd_wire_put(&bv->terms, b);
    return t;
}

hd_term hd_bv_extend(struct hd_bv *bv, hd_term a, unsigned width, bool is_signed)
{
    unsigned by = width - hd_bv_width(bv, a);
    if (by == 0)
        return a;
    hd_term t = add(bv, HD_WIRE_EXTEND, width);
    hd_wire_put(&bv->terms, a);
    hd_wire_put(&bv->terms, by);
    hd_wire_put(&bv->terms, is_signed);
    return t;
}

hd_term hd_bv_extract(struct hd_bv *bv, hd_term a, unsigned low, unsigned width)
{
    hd_term t = add(bv, HD_WIRE_EXTRACT, width);
    hd_wire_put(&bv->terms, a);
    hd_wire_put(&bv->terms, low);
    hd_wire_put(&bv->terms, width);
    return t;
}

hd_term hd_bv_ite(struct hd_bv *bv, hd_term cond, hd_term a, hd_term b)
{
    hd_term t = add(bv, HD_WIRE_ITE, hd_bv_width(bv, a));
    hd_wire_put(&bv->terms, cond);
    hd_wire_put(&bv->terms, a);
    hd_wire_put(&bv->terms, b);
    return t;
}

/* ---- checks ---- */

static bool say(struct hd_bv *bv, const struct hd_wire *question, double until)
{
    if (!bv->link.pid) {
        bv->sent = 0;
        if (!hd_link_open(&bv->link))
            return false;
    }
    size_t from = bv->sent;
    bv->sent = bv->terms.len;
    return hd_link_send(&bv->link, bv->terms.data + from, bv->terms.len - from, until) &&
           hd_link_send(&bv->link, question->data, question->len, until);
}

enum hd_sat hd_bv_check(struct hd_bv *bv, const struct hd_bv_lit *lits, size_t n, double seconds)
{
    double started = hd_progress_now(), until = started + seconds;
    double ms =
        seconds * 100; /* a tenth of the time for the first of two tries, see serve_bits.c */
    struct hd_wire question = {0};
    enum hd_sat sat = HD_SAT_UNKNOWN;
    hd_wire_put(&question, HD_WIRE_CHECK_BITS);
    hd_wire_put(&question, ms > 4e9 ? 4294967295u : ms < 1 ? 1 : (unsigned)ms);
    hd_wire_put(&question, n);
    for (size_t i = 0; i < n; i++) {
        hd_wire_put(&question, lits[i].term);
        hd_wire_put(&question, lits[i].is);
    }
    if (say(bv, &question, until))
        hd_link_answer(&bv->link, &sat, until);
    hd_wire_fini(&question);
    bv->checks++;
    bv->seconds += hd_progress_now() - started;
    return sat;
}

uint64_t hd_bv_value(struct hd_bv *bv, hd_term a)
{
    struct hd_wire question = {0};
    uint64_t value = 0;
    hd_wire_put(&question, HD_WIRE_VALUES);
    hd_wire_put(&question, 1);
    hd_wire_put(&question, a);
    if (bv->link.pid && say(bv, &question, 0) && !hd_link_recv(&bv->link, &value, sizeof value, 0))
        value = 0;
    hd_wire_fini(&question);
    return value;
}

uint64_t hd_bv_checks(const struct hd_bv *bv)
{
    return bv->checks;
}

double hd_bv_seconds(const struct hd_bv *bv)
{
    return bv->seconds;
}
