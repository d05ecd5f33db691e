#include "explore/freeze.h"

#include "base/hash.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void put(struct hd_freezer *z, uint64_t v)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(v >> 8 * i);
    fwrite(bytes, 1, sizeof bytes, z->file); /* errors show when the file is committed */
}

static uint64_t number_of(const unsigned char bytes[8])
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)bytes[i] << 8 * i;
    return v;
}

static uint64_t get(struct hd_freezer *z)
{
    unsigned char bytes[8];
    if (z->bad || fread(bytes, 1, sizeof bytes, z->file) != sizeof bytes) {
        z->bad = true;
        return 0;
    }
    return number_of(bytes);
}

static uint64_t add_to_sum(uint64_t sum, uint64_t v)
{
    return hd_hash_mix(sum * UINT64_C(0x9e3779b97f4a7c15) + v);
}

void hd_freeze_u64(struct hd_freezer *z, uint64_t *v)
{
    if (z->writes)
        put(z, *v);
    else
        *v = get(z);
    z->sum = add_to_sum(z->sum, *v);
}

void hd_freeze_u32(struct hd_freezer *z, uint32_t *v)
{
    uint64_t wide = *v;
    hd_freeze_u64(z, &wide);
    z->bad = z->bad || wide > UINT32_MAX;
    *v = (uint32_t)wide;
}

void hd_freeze_bool(struct hd_freezer *z, bool *v)
{
    uint64_t wide = *v;
    hd_freeze_u64(z, &wide);
    z->bad = z->bad || wide > 1;
    *v = wide == 1;
}

/* Numbers that the file may still hold: an element has at least one. */
static uint64_t left(const struct hd_freezer *z)
{
    struct stat st;
    off_t at = ftello(z->file);
    return at >= 0 && fstat(fileno(z->file), &st) == 0 && st.st_size > at
               ? (uint64_t)(st.st_size - at) / 8
               : 0;
}

void hd_freeze_len(struct hd_freezer *z, struct hd_vec *v)
{
    uint64_t n = v->len;
    hd_freeze_u64(z, &n);
    z->bad = z->bad || (!z->writes && n > left(z));
    for (uint64_t i = v->len; i < n && !z->bad && !z->writes; i++)
        memset(hd_vec_push(v), 0, v->size);
}

void hd_freeze_u64s(struct hd_freezer *z, struct hd_vec *v)
{
    hd_freeze_len(z, v);
    for (size_t i = 0; i < v->len; i++)
        hd_freeze_u64(z, hd_vec_at(v, i));
}

void hd_freeze_map(struct hd_freezer *z, struct hd_map *m)
{
    uint64_t n = m->len;
    hd_freeze_u64(z, &n);
    for (size_t i = 0; z->writes && i < m->cap; i++)
        if (m->slots[i].round == m->round) {
            hd_freeze_u64(z, &m->slots[i].key);
            hd_freeze_u32(z, &m->slots[i].value);
        }
    for (uint64_t i = 0; !z->writes && i < n && !z->bad; i++) {
        uint64_t key;
        uint32_t value = 0;
        hd_freeze_u64(z, &key);
        hd_freeze_u32(z, &value);
        *hd_map_put(m, key, NULL) = value;
    }
}

/* ---- what searches share ---- */

void hd_freeze_steer_op(struct hd_freezer *z, struct hd_steer_op *o)
{
    uint64_t small = o->thread | (uint64_t)o->kind << 16 | (uint64_t)o->flags << 24;
    hd_freeze_u64(z, &o->addr);
    hd_freeze_u64(z, &o->other);
    hd_freeze_u64(z, &o->value);
    hd_freeze_u64(z, &o->site);
    hd_freeze_u32(z, &o->size);
    hd_freeze_u32(z, &o->count);
    hd_freeze_u32(z, &o->wakes);
    hd_freeze_u64(z, &small);
    o->thread = (uint16_t)small;
    o->kind = (uint8_t)(small >> 16);
    o->flags = (uint8_t)(small >> 24);
}

/* The same names get the same numbers when they come in the same order. */
void hd_freeze_names(struct hd_freezer *z, struct hd_exec_names *n)
{
    uint64_t threads = n->threads.len, regions = n->regions.len;
    hd_freeze_u64(z, &threads);
    for (uint64_t i = 1; i < threads && !z->bad; i++) {
        struct hd_steer_thread t = {0};
        if (z->writes)
            t = *(struct hd_steer_thread *)hd_vec_at(&n->threads, i);
        hd_freeze_u32(z, &t.parent);
        hd_freeze_u32(z, &t.child);
        z->bad = z->bad || t.parent >= i;
        if (!z->writes && !z->bad)
            hd_exec_name_thread(n, t.parent, t.child);
    }
    hd_freeze_u64(z, &regions);
    for (uint64_t i = 0; i < regions && !z->bad; i++) {
        uint64_t key = z->writes ? *(uint64_t *)hd_vec_at(&n->regions, i) : 0;
        hd_freeze_u64(z, &key);
        if (!z->writes)
            hd_exec_name_region(n, (uint32_t)(key >> 32), (uint32_t)key);
    }
}

uint64_t hd_freeze_stamp(const char *program)
{
    struct stat st;
    if (stat(program, &st) != 0)
        return 0;
    uint64_t h = hd_hash_mix((uint64_t)st.st_size);
    h = hd_hash_mix(h + (uint64_t)st.st_mtim.tv_sec);
    return hd_hash_mix(h + (uint64_t)st.st_mtim.tv_nsec);
}

/* ---- the file ---- */

static uint64_t kind_number(const char *kind)
{
    uint64_t v = 0;
    for (int i = 0; i < 8 && kind[i]; i++)
        v |= (uint64_t)(unsigned char)kind[i] << 8 * i;
    return v;
}

static enum hd_status damaged(const struct hd_freezer *z, struct hd_err *err)
{
    return hd_err_at(err, HD_ERR_INPUT, z->path, 0,
                     "the state of the search is damaged; search again without --resume");
}

/* Whether the file is numbers and, last, the sum over them. Reading goes on where it was. */
static bool is_whole(FILE *f)
{
    unsigned char block[8 * 4096];
    uint64_t sum = 0, last = 0;
    off_t at = ftello(f);
    bool any = false, ok = at >= 0 && fseeko(f, 0, SEEK_SET) == 0;
    size_t n = ok ? sizeof block : 0;
    while (ok && n == sizeof block) {
        n = fread(block, 1, sizeof block, f);
        for (size_t i = 0; i + 8 <= n; i += 8) {
            if (any)
                sum = add_to_sum(sum, last);
            last = number_of(block + i);
            any = true;
        }
        ok = n % 8 == 0;
    }
    return ok && !ferror(f) && any && last == sum && fseeko(f, at, SEEK_SET) == 0;
}

enum hd_status hd_freeze_open(struct hd_freezer *z, const char *path, bool writes, const char *kind,
                              struct hd_err *err)
{
    uint64_t want = kind_number(kind), got = want;
    *z = (struct hd_freezer){.writes = writes, .path = path};
    if (writes) {
        enum hd_status s = hd_outfile_open(path, &z->out, err);
        z->file = z->out.file;
        if (s != HD_OK)
            return s;
    } else if (!(z->file = fopen(path, "re"))) {
        return hd_err_set(err, HD_ERR_INPUT, "the search cannot go on: %s: %s", path,
                          strerror(errno));
    }
    hd_freeze_u64(z, &got);
    if (got == want && (writes || is_whole(z->file)))
        return HD_OK;
    fclose(z->file);
    return got == want ? damaged(z, err)
                       : hd_err_at(err, HD_ERR_INPUT, path, 0, "this is not the state of a search");
}

enum hd_status hd_freeze_close(struct hd_freezer *z, struct hd_err *err)
{
    uint64_t sum = z->sum;
    if (z->writes) {
        put(z, sum);
        return hd_outfile_commit(&z->out, err);
    }
    bool good = get(z) == sum && !z->bad && fgetc(z->file) == EOF;
    fclose(z->file);
    return good ? HD_OK : damaged(z, err);
}
