/* Who gets what where OpenMP leaves it open: parts of dynamic and guided loops, sections, single.
 *
 * Left to themselves, threads take what is next, and in one recording many parts are one thread's:
 * a race between two of them is not there. The tool therefore asks for divisions, one for each
 * round. In one kind of rounds a part of a loop belongs to a member by a digit of its number, with
 * the size of the team as base; in the other kind, all of a construct by a digit of the number that
 * the construct has since the last barrier. Two numbers differ in some digit, so when all digits
 * have had their round, any two parts have been with different members. docs/OPENMP.md.
 *
 * A member takes its own parts without looking at the others, so nothing orders them. Only then it
 * takes those of members that have not come; no thread waits for a member that cannot come. Whether
 * a member has come is no event of the recording: OpenMP promises no order there, and the read
 * would put what that member did before it came in front of all that we do from here on. */
#include "openmp/omp_team.h"

#include <stdlib.h>

enum { FREE, ENTERED, TAKEN }; /* a member's parts: by itself, by another one */

#define CONSTRUCTS                                                                                 \
    256 /* HEDDLE_RT_OMP_ROUND: below, a digit of parts; from here, of constructs                  \
         */

/* Of the runtime, if the program runs in it: parts and constructs have so many digits; a team has
 * this size because the user did not ask for another. */
void __hd_omp_needs(uint32_t parts, uint32_t constructs, uint32_t team) __attribute__((weak));

/* Of the runtime: gives the others time, and returns whether *claim is not zero then. Not recorded;
 * a replay returns true, since those who came in the recording come. */
int __hd_omp_came(const uint8_t *claim) __attribute__((weak));

static void needs(uint64_t parts, uint64_t constructs)
{
    if (__hd_omp_needs)
        __hd_omp_needs((uint32_t)parts, (uint32_t)constructs, 0);
}

void hd_omp_open_team(int size)
{
    if (__hd_omp_needs)
        __hd_omp_needs(0, 0, (uint32_t)size);
}

int hd_omp_first_round(void)
{
    const char *text = getenv("HEDDLE_RT_OMP_ROUND");
    return text ? atoi(text) : -1;
}

/* Digits that the numbers below n have. */
static uint64_t digits_of(const struct hd_omp_team *team, uint64_t n)
{
    uint64_t digits = 1, base = (uint64_t)team->size;
    for (uint64_t most = base; most < n; most *= base)
        digits++;
    return digits;
}

static uint64_t weight_of(const struct hd_omp_team *team, uint64_t digit)
{
    uint64_t weight = 1;
    for (; digit > 0; digit--)
        weight *= (uint64_t)team->size;
    return weight;
}

/* Whose the construct in this slot is, in a round of constructs. */
static int owner_of(const struct hd_omp_team *team, uint64_t slot)
{
    uint64_t digit = (uint64_t)team->round - CONSTRUCTS;
    bool small = digit >= digits_of(team, HD_OMP_SLOTS);
    return small ? 0 : (int)(slot / weight_of(team, digit) % (uint64_t)team->size);
}

static void needs_construct(const struct hd_omp_thread *t, uint64_t slot)
{
    if (slot)
        needs(0, digits_of(t->team, slot + 1));
}

/* ---- claims ---- */

static _Atomic uint8_t *claim_of(const struct hd_omp_team *team, const struct hd_omp_slot *slot,
                                 int member)
{
    size_t number = (size_t)(slot - &team->slots[0][0]);
    return &team->claims[number * (size_t)team->size + (size_t)member];
}

static bool enter(const struct hd_omp_thread *t, const struct hd_omp_slot *slot)
{
    uint8_t none = FREE;
    return atomic_compare_exchange_strong_explicit(claim_of(t->team, slot, t->num), &none, ENTERED,
                                                   memory_order_relaxed, memory_order_relaxed);
}

/* What is a member's becomes ours if it does not come. */
static bool replace(const struct hd_omp_thread *t, const struct hd_omp_slot *slot, int member)
{
    _Atomic uint8_t *claim = claim_of(t->team, slot, member);
    uint8_t none = FREE;
    if (__hd_omp_came && __hd_omp_came((const uint8_t *)claim))
        return false;
    return atomic_compare_exchange_strong_explicit(claim, &none, TAKEN, memory_order_relaxed,
                                                   memory_order_relaxed);
}

/* ---- loops ---- */

static uint64_t size_of(const struct hd_omp_range *r, uint64_t first, uint64_t members)
{
    uint64_t rest = r->count - first, share = r->guided ? rest / (2 * members) : 0;
    uint64_t n = share > r->chunk ? share : r->chunk;
    return n < rest ? n : rest;
}

static uint64_t parts_of(const struct hd_omp_range *r, uint64_t members)
{
    if (!r->guided)
        return r->count / r->chunk + (r->count % r->chunk != 0);
    uint64_t n = 0;
    for (uint64_t at = 0; at < r->count; at += size_of(r, at, members))
        n++;
    return n;
}

void hd_omp_spread_begin(struct hd_omp_thread *t)
{
    struct hd_omp_spread *s = &t->range.spread;
    *s = (struct hd_omp_spread){.on = t->team->round >= 0 && t->team->size > 1};
    if (!s->on)
        return;
    const struct hd_omp_team *team = t->team;
    uint64_t digits = digits_of(team, parts_of(&t->range, (uint64_t)team->size));
    uint64_t slot = (uint64_t)(t->loop - team->slots[t->bank]);
    needs(digits, 0);
    needs_construct(t, slot);
    s->whole = team->round >= CONSTRUCTS;
    s->weight = s->whole ? 1 : weight_of(team, (uint64_t)team->round % digits);
    s->only = s->whole ? owner_of(team, slot) : 0;
    s->owner = enter(t, t->loop) ? t->num : -1;
}

/* The next part of the member whose parts we take. Parts of one size are counted, not walked. */
static bool next_part(struct hd_omp_thread *t, uint64_t *first, uint64_t *n)
{
    struct hd_omp_range *r = &t->range;
    struct hd_omp_spread *s = &r->spread;
    uint64_t members = (uint64_t)t->team->size, cycle = s->weight * members;
    if (s->whole && s->owner != s->only)
        return false;
    while (s->owner >= 0 && s->at < r->count) {
        uint64_t digit = s->whole ? (uint64_t)s->only : s->part / s->weight % members;
        if (digit != (uint64_t)s->owner && !r->guided) {
            uint64_t own = s->part / cycle * cycle + (uint64_t)s->owner * s->weight;
            s->part = own < s->part ? own + cycle : own;
            s->at = s->part < parts_of(r, members) ? s->part * r->chunk : r->count;
            continue;
        }
        *first = s->at;
        *n = size_of(r, s->at, members);
        s->at += *n;
        s->part++;
        if (digit == (uint64_t)s->owner)
            return true;
    }
    return false;
}

static bool take_over(struct hd_omp_thread *t)
{
    struct hd_omp_spread *s = &t->range.spread;
    while (s->looked < t->team->size) {
        int member = s->looked++;
        if (member == t->num || !replace(t, t->loop, member))
            continue;
        s->owner = member;
        s->part = s->at = 0;
        return true;
    }
    return false;
}

bool hd_omp_spread_next(struct hd_omp_thread *t, uint64_t *first, uint64_t *n)
{
    do
        if (next_part(t, first, n))
            return true;
    while (take_over(t));
    return false;
}

/* ---- single ---- */

bool hd_omp_spread_single(struct hd_omp_thread *t, struct hd_omp_slot *slot)
{
    uint64_t number = (uint64_t)(slot - t->team->slots[t->bank]);
    if (t->team->round >= 0)
        needs_construct(t, number);
    if (t->team->round < CONSTRUCTS)
        return atomic_fetch_add_explicit(&slot->next, 1, memory_order_relaxed) == 0;
    int owner = owner_of(t->team, number);
    if (owner == t->num)
        return enter(t, slot);
    return replace(t, slot, owner);
}

/* ---- sections ---- */

/* The compiler takes one block for each member. Two sections are with different members if a block
 * ends between them: n - 1 ends, of which each round has as many as it can. */
void hd_omp_spread_sections(const struct hd_omp_thread *t, uint64_t n, uint64_t *first,
                            uint64_t *count)
{
    uint64_t ends = n - 1, each = (uint64_t)t->team->size - 1, num = (uint64_t)t->num;
    uint64_t rounds = (ends + each - 1) / each;
    needs(rounds, 0);
    if (ends <= each) {
        *first = num;
        *count = num < n;
        return;
    }
    uint64_t start = (uint64_t)t->team->round % CONSTRUCTS % rounds * each;
    uint64_t before = start + each > ends ? start + each - ends : 0; /* those that begin again */
    uint64_t from = num == 0 ? 0 : num - 1 < before ? num : start + num - before;
    uint64_t to = num == each ? n : num < before ? num + 1 : start + num + 1 - before;
    *first = from;
    *count = to - from;
}
