/* First walk: under which locks a thread writes shared memory, and whether another one reads it
 * under one of them. Who hands something over does so under the lock of the one who takes it; data
 * that go from stage to stage may be touched under a lock of each stage. */
#include "build/walk.h"

#include <string.h>

#define MOST 8 /* locks that are noted: the last ones taken */

/* Those of them that count; the first word is the thread. */
static size_t first_of(const struct hd_vec *locks)
{
    return locks->len > 1 + MOST ? locks->len - MOST : 1;
}

void hd_walk_held_sync(struct hd_walk_thread *t, const struct hd_raw *rec)
{
    struct hd_vec *locks = &t->locks;
    t->holding = 0;
    if (rec->kind == HD_LOG_ACQ || rec->kind == HD_LOG_RACQ) {
        *(uint64_t *)hd_vec_push(locks) = rec->w[0];
        return;
    }
    size_t i = locks->len - 1;
    while (i > 0 && *(uint64_t *)hd_vec_at(locks, i) != rec->w[0])
        i--;
    if (!i)
        return;
    uint64_t *at = hd_vec_at(locks, i);
    memmove(at, at + 1, (locks->len - i - 1) * sizeof *at);
    locks->len--;
}

uint32_t hd_walk_holding(struct hd_walk *w)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    if (t->holding || t->locks.len < 2)
        return t->holding;
    const uint64_t *locks = t->locks.data;
    size_t first = first_of(&t->locks), n = t->locks.len - first;
    uint64_t note[1 + MOST] = {locks[0]};
    memcpy(note + 1, locks + first, n * sizeof *note);
    t->holding = 1 + hd_names_add(&w->own.holdings, (const char *)note, (1 + n) * sizeof *note);
    return t->holding;
}

bool hd_walk_held_by_other(struct hd_walk *w, uint32_t holding)
{
    const struct hd_vec *mine = &hd_walk_current(w)->locks;
    const char *text = hd_names_text(&w->own.holdings, holding - 1);
    size_t n = hd_names_len(&w->own.holdings, holding - 1) / sizeof(uint64_t);
    uint64_t word;
    memcpy(&word, text, sizeof word);
    if (word == w->current)
        return false;
    for (size_t i = 1; i < n; i++) {
        memcpy(&word, text + i * sizeof word, sizeof word);
        for (size_t k = first_of(mine); k < mine->len; k++)
            if (*(const uint64_t *)hd_vec_at(mine, k) == word)
                return true;
    }
    return false;
}
