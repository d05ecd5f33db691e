#include "recording/rectypes.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCK = -1, NAME_MAX_LEN = 200, MOST_LOCKS = 256 };

struct type {
    const char *name;
    uint64_t size;
    uint32_t first, n; /* of its parts */
};

struct part {
    const char *name;
    uint64_t offset, count, stride;
    int what; /* LOCK or a type; -2: no lock in it */
};

static void add_name(struct hd_rectypes *t, const char *name, uint32_t type)
{
    uint32_t id;
    if (!*name)
        return;
    if (!hd_names_find(&t->names, name, strlen(name), &id)) {
        hd_names_add(&t->names, name, strlen(name));
        hd_u32vec_push(&t->named, type);
        return;
    }
    const struct type *a = hd_vec_at(&t->types, type), *b = NULL;
    if (t->named.data[id] != UINT32_MAX)
        b = hd_vec_at(&t->types, t->named.data[id]);
    /* The same type is in every unit that knows it. */
    bool same = b && a->size == b->size && a->n == b->n;
    for (uint32_t i = 0; same && i < a->n; i++) {
        const struct part *x = hd_vec_at(&t->parts, a->first + i),
                          *y = hd_vec_at(&t->parts, b->first + i);
        same = x->offset == y->offset && !strcmp(x->name, y->name);
    }
    if (!same)
        t->named.data[id] = UINT32_MAX;
}

/* One line; its text lives in the block. False: it makes no sense. */
static bool take(struct hd_rectypes *t, char *text)
{
    struct part p = {.count = 1, .what = -2};
    int at = 0;
    uint64_t size;
    struct type *type = t->types.len ? hd_vec_at(&t->types, t->types.len - 1) : NULL;
    switch (*text) {
    case 'T':
        if (sscanf(text, "T %" SCNu64 " %n", &size, &at) < 1 || !at)
            return false;
        *(struct type *)hd_vec_push(&t->types) =
            (struct type){text + at, size, (uint32_t)t->parts.len, 0};
        return true;
    case 'F':
        if (!type || sscanf(text, "F %" SCNu64 " %n", &p.offset, &at) < 1 || !at)
            return false;
        break;
    case 'L':
    case 'V':
        if (sscanf(text + 1, " %" SCNu64 " %" SCNu64 " %" SCNu64 " %d %n", &p.offset, &p.count,
                   &p.stride, &p.what, &at) < 4 ||
            !at || p.what < LOCK || p.what >= (int)t->types.len || (*text == 'L' && !type))
            return false;
        at++;
        break;
    case 'A':
        if (sscanf(text, "A %d %n", &p.what, &at) < 1 || !at || p.what < 0 ||
            p.what >= (int)t->types.len)
            return false;
        add_name(t, text + at, (uint32_t)p.what);
        return true;
    default:
        return false;
    }
    p.name = text + at;
    *(struct part *)hd_vec_push(*text == 'V' ? &t->variables : &t->parts) = p;
    if (*text != 'V')
        type->n++;
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return strcmp(x->name, y->name);
}

void hd_rectypes_read(const struct hd_rec *rec, struct hd_rectypes *t)
{
    struct hd_err ignored = {0};
    *t = (struct hd_rectypes){.types = HD_VEC_INIT(struct type),
                              .parts = HD_VEC_INIT(struct part),
                              .variables = HD_VEC_INIT(struct part)};
    if (!hd_rec_has(rec, HD_REC_TYPES) ||
        hd_rec_get(rec, HD_REC_TYPES, &t->block, &t->len, &ignored) != HD_OK)
        return;
    char *save = NULL;
    for (char *text = strtok_r(t->block, "\n", &save); text; text = strtok_r(NULL, "\n", &save))
        if (!take(t, text))
            break;
    for (uint32_t i = 0; i < t->types.len; i++)
        add_name(t, ((struct type *)hd_vec_at(&t->types, i))->name, i);
    if (t->variables.len)
        qsort(t->variables.data, t->variables.len, t->variables.size, by_address);
}

void hd_rectypes_fini(struct hd_rectypes *t)
{
    hd_free(t->block, t->block ? t->len + 1 : 0);
    hd_vec_fini(&t->types);
    hd_vec_fini(&t->parts);
    hd_vec_fini(&t->variables);
    hd_names_fini(&t->names);
    hd_u32vec_fini(&t->named);
    *t = (struct hd_rectypes){0};
}

/* Of count things, stride apart, the one at *offset: "[3]"; *offset is from its start afterwards.
 * False: behind the last. */
static bool index_of(const struct part *p, uint64_t *offset, char *out, size_t size)
{
    *out = 0;
    if (p->count == 1)
        return true;
    uint64_t i = p->stride ? *offset / p->stride : 0;
    snprintf(out, size, "[%" PRIu64 "]", i);
    *offset -= i * p->stride;
    return p->stride && i < p->count;
}

/* Appends what lies at the offset of something: nothing at the start of a lock. */
static bool describe(const struct hd_rectypes *t, const struct part *p, uint64_t offset, char *out,
                     size_t size)
{
    char index[32];
    for (int depth = 0; depth < 16; depth++) {
        size_t used = strlen(out);
        if (!index_of(p, &offset, index, sizeof index))
            return false;
        snprintf(out + used, size - used, "%s", index);
        if (p->what == LOCK)
            return offset == 0;
        const struct type *type = hd_vec_at(&t->types, (size_t)p->what);
        const struct part *next = NULL;
        for (uint32_t i = 0; i < type->n; i++) {
            const struct part *one = hd_vec_at(&t->parts, type->first + i);
            if (one->what >= LOCK && one->offset <= offset && (!next || one->offset > next->offset))
                next = one;
        }
        if (!next)
            return false;
        used = strlen(out);
        snprintf(out + used, size - used, ".%s", next->name);
        offset -= next->offset;
        p = next;
    }
    return false;
}

bool hd_rectypes_variable(const struct hd_rectypes *t, uint64_t addr, char *out, size_t size)
{
    size_t low = 0, high = t->variables.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (((const struct part *)hd_vec_at(&t->variables, mid))->offset <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low)
        return false;
    const struct part *p = hd_vec_at(&t->variables, low - 1);
    snprintf(out, size, "%s", p->name);
    return describe(t, p, addr - p->offset, out, size);
}

bool hd_rectypes_field(const struct hd_rectypes *t, const char *name, uint32_t *type,
                       uint64_t *offset)
{
    const char *dot = strchr(name, '.');
    uint32_t id;
    if (!dot || strpbrk(dot + 1, ".[") ||
        !hd_names_find(&t->names, name, (size_t)(dot - name), &id))
        return false;
    *type = t->named.data[id];
    if (*type == UINT32_MAX)
        return false;
    const struct type *of = hd_vec_at(&t->types, *type);
    for (uint32_t i = 0; i < of->n; i++) {
        const struct part *p = hd_vec_at(&t->parts, of->first + i);
        *offset = p->offset;
        if (!strcmp(p->name, dot + 1))
            return true;
    }
    return false;
}

struct listing {
    const struct hd_rectypes *t;
    void (*see)(void *ctx, uint64_t offset, const char *name);
    void *ctx;
    unsigned left;
};

static void list(struct listing *l, uint32_t type, uint64_t offset, const char *before, int depth)
{
    const struct type *of = hd_vec_at(&l->t->types, type);
    for (uint32_t i = 0; i < of->n && depth < 8; i++) {
        const struct part *p = hd_vec_at(&l->t->parts, of->first + i);
        for (uint64_t k = 0; p->what >= LOCK && k < p->count && l->left; k++) {
            char name[NAME_MAX_LEN], index[32] = "";
            if (p->count > 1)
                snprintf(index, sizeof index, "[%" PRIu64 "]", k);
            snprintf(name, sizeof name, "%.100s.%.60s%s", before, p->name, index);
            uint64_t at = offset + p->offset + k * p->stride;
            if (p->what != LOCK) {
                list(l, (uint32_t)p->what, at, name, depth + 1);
                continue;
            }
            l->see(l->ctx, at, name);
            l->left--;
        }
    }
}

void hd_rectypes_locks(const struct hd_rectypes *t, uint32_t type,
                       void (*see)(void *ctx, uint64_t offset, const char *name), void *ctx)
{
    struct listing l = {t, see, ctx, MOST_LOCKS};
    list(&l, type, 0, ((const struct type *)hd_vec_at(&t->types, type))->name, 0);
}
