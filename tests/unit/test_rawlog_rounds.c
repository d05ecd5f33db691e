/* recording/rawlog_rounds: what is passed over is what would have been read. Random rounds, most of
 * them with something that changes from one to the next, are read whole, and again with rounds
 * passed over wherever they are found. */
#include "base/rng.h"
#include "log/rt_pack_plain.h"
#include "recording/rawlog_rounds.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { LOGS = 400, STEPS = 6, TIMES = 40, PARTS = 4, RECORDS = 8192 };

enum changes { NOTHING, ADDRESS, VALUE, TOKEN, CHANGES };

/* One record of a round. */
struct step {
    unsigned kind, shape;
    uint64_t place, addr, value;
    uint32_t far; /* steps back to what it depends on; 0: nothing */
    enum changes changes;
    unsigned period; /* it changes in one round of so many */
};

struct written {
    struct hd_pack *pack;
    uint64_t *keys;
    uint8_t *bytes;
    size_t len;
    uint32_t count;
    struct hd_rng rng;
};

static const struct hd_rec no_blocks;

static struct step any_step(struct hd_rng *rng)
{
    static const unsigned kinds[] = {HD_LOG_AREAD,  HD_LOG_AREAD, HD_LOG_READ, HD_LOG_BRANCH,
                                     HD_LOG_BRANCH, HD_LOG_MORE,  HD_LOG_WRITE};
    struct step s = {.kind = kinds[hd_rng_below(rng, hd_rng_below(rng, 4) ? 5 : 7)],
                     .place = 0x400000 + 32 * hd_rng_below(rng, 6),
                     .addr = UINT64_C(0x7f0000001000) + 8 * hd_rng_below(rng, 4),
                     .value = hd_rng_below(rng, 3),
                     .far = (uint32_t)hd_rng_below(rng, 4),
                     .period = 1 + (unsigned)hd_rng_below(rng, 3)};
    if (hd_rng_below(rng, 6) == 0)
        s.changes = (enum changes)hd_rng_below(rng, CHANGES);
    s.shape = s.kind | 3u << 6 | HD_SHAPE_SITE;
    return s;
}

static void put(struct written *log, const struct step *s, unsigned round)
{
    bool now = round % s->period == 0;
    uint64_t turn = now ? round : 0, w[3] = {s->addr, s->value, 0};
    uint32_t to = log->count - s->far;
    if (s->changes == ADDRESS)
        w[0] += 8 * turn;
    if (s->changes == VALUE)
        w[1] += turn;
    if (s->changes == TOKEN)
        to = 1 + (now ? 0 : s->far);
    hd_tok tok = s->far && to && to <= log->count ? hd_tok_range(to, to) : HD_TOK_NONE;
    if (s->kind == HD_LOG_MORE)
        w[0] = 0;
    log->count += s->kind != HD_LOG_MORE;
    uint8_t *p = log->bytes + log->len;
    p = hd_put_packed(log->pack, log->keys, p, s->place, s->shape, log->count, w, HD_TOK_NONE, tok);
    log->len = (size_t)(p - log->bytes);
}

static void write_log(struct written *log)
{
    for (unsigned part = 0; part < PARTS; part++) {
        struct step steps[STEPS];
        unsigned n = 1 + (unsigned)hd_rng_below(&log->rng, STEPS);
        unsigned times = 1 + (unsigned)hd_rng_below(&log->rng, TIMES);
        for (unsigned i = 0; i < n; i++)
            steps[i] = any_step(&log->rng);
        for (unsigned round = 0; round < times; round++)
            for (unsigned i = 0; i < n; i++)
                put(log, &steps[i], round);
    }
}

static void open_log(struct hd_rawlog *log, const struct written *from)
{
    hd_rawlog_init(log, &no_blocks, from->keys, from->pack->n_slots + 1);
    hd_rawlog_rewind(log);
    memcpy(log->chunk, from->bytes, from->len);
    log->chunk_len = from->len;
}

struct seen {
    struct hd_raw rec;
    uint64_t at;
    uint32_t count;
};

static unsigned read_whole(const struct written *from, struct seen *all)
{
    struct hd_rawlog log;
    unsigned n = 0;
    open_log(&log, from);
    for (; n < RECORDS; n++) {
        all[n].at = hd_rawlog_at(&log);
        if (!hd_rawlog_next(&log, &all[n].rec))
            break;
        all[n].count = log.in.count;
    }
    assert_true(n < RECORDS && !log.broken);
    hd_rawlog_fini(&log);
    return n;
}

static void expect(const struct seen *want, const struct hd_raw *rec, const struct hd_rawlog *log)
{
    assert_int_equal(rec->kind, want->rec.kind);
    assert_int_equal(rec->site, want->rec.site);
    assert_int_equal(rec->w[0], want->rec.w[0]);
    assert_int_equal(rec->w[1], want->rec.w[1]);
    assert_int_equal(rec->val, want->rec.val);
    assert_int_equal(log->in.count, want->count);
}

/* The token of the round before: each end moved along, or as it was. */
static bool moved(hd_tok before, hd_tok after, uint32_t events)
{
    uint32_t lo = hd_tok_lo(after) - hd_tok_lo(before), hi = hd_tok_hi(after) - hd_tok_hi(before);
    return (lo == 0 || lo == events) && (hi == 0 || hi == events);
}

static void expect_like(const struct seen *before, const struct seen *after, uint32_t events)
{
    bool branch = before->rec.kind == HD_LOG_BRANCH, more = before->rec.kind == HD_LOG_MORE;
    assert_int_equal(after->rec.kind, before->rec.kind);
    assert_int_equal(after->rec.site, before->rec.site);
    if (!branch)
        assert_int_equal(after->rec.w[0], before->rec.w[0]);
    if (!branch && !more)
        assert_int_equal(after->rec.w[1], before->rec.w[1]);
    assert_true(moved(before->rec.val, after->rec.val, events));
    assert_int_equal(after->count, before->count + events);
}

static unsigned find_at(const struct seen *all, unsigned i, unsigned n, uint64_t at)
{
    while (i < n && all[i].at < at)
        i++;
    assert_int_equal(all[i].at, at);
    return i;
}

/* Looks for rounds before each record, of the length that is known or of any. */
static struct hd_rawlog_rounds look(struct hd_rawlog *log, struct hd_rng *rng)
{
    if (hd_rng_below(rng, 3) == 0)
        return hd_rawlog_rounds_find(log);
    uint32_t bytes = 1 + (uint32_t)hd_rng_below(rng, 24), events = hd_rawlog_round(log, bytes);
    return events ? hd_rawlog_rounds(log, bytes, events) : (struct hd_rawlog_rounds){0};
}

static uint64_t read_with_rounds(struct written *from, const struct seen *all, unsigned n)
{
    struct hd_rawlog log;
    struct hd_raw rec;
    uint64_t passed = 0;
    open_log(&log, from);
    for (unsigned i = 0;; i++) {
        struct hd_rawlog_rounds r = look(&log, &from->rng);
        if (r.times) {
            uint64_t at = hd_rawlog_at(&log);
            unsigned next = find_at(all, i, n, at + r.bytes), each = next - i;
            unsigned last = find_at(all, i, n, at + r.times * r.bytes);
            assert_int_equal(last - i, r.times * each);
            for (unsigned k = i; k + each < last; k++)
                expect_like(&all[k], &all[k + each], r.events);
            uint64_t times = hd_rng_below(&from->rng, r.times + 1);
            hd_rawlog_rounds_skip(&log, &r, times);
            i += (unsigned)times * each;
            passed += times;
        }
        if (!hd_rawlog_next(&log, &rec)) {
            assert_int_equal(i, n);
            break;
        }
        expect(&all[i], &rec, &log);
    }
    assert_true(!log.broken);
    hd_rawlog_fini(&log);
    return passed;
}

static void rounds_are_what_was_written(void **state)
{
    (void)state;
    struct written log = {.pack = malloc(sizeof *log.pack),
                          .keys = calloc(HD_LOG_KEYS, sizeof *log.keys),
                          .bytes = calloc(1, HD_LOG_CHUNK)};
    struct seen *all = calloc(RECORDS, sizeof *all);
    uint64_t passed = 0;
    hd_rng_init(&log.rng, 21);
    for (unsigned i = 0; i < LOGS; i++) {
        memset(log.pack, 0, sizeof *log.pack);
        memset(log.keys, 0, 64 * sizeof *log.keys);
        memset(log.bytes, 0, log.len + HD_PACK_ROOM);
        log.len = log.count = 0;
        write_log(&log);
        passed += read_with_rounds(&log, all, read_whole(&log, all));
    }
    assert_true(passed > 10 * LOGS);
    free(log.pack);
    free(log.keys);
    free(log.bytes);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds_are_what_was_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
