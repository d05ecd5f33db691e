#include "build/origin.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define KEY_STEPS   "origin.steps"
#define KEY_TABLE   "origin.table"
#define KEY_MODULES "origin.modules"

static uint32_t *slot(struct hd_u32vec *v, uint32_t i)
{
    while (v->len <= i)
        hd_u32vec_push(v, 0);
    return &v->data[i];
}

static uint32_t id_of(struct hd_origin_log *o, const struct hd_raw *rec, bool joined,
                      uint32_t guess)
{
    bool fresh;
    uint64_t key = rec->site << 9 | (uint64_t)rec->kind << 1 | joined;
    if (guess && !memcmp(o->raw.data + (guess - 1) * sizeof key, &key, sizeof key))
        return guess;
    uint32_t *id = hd_map_put(&o->ids, key, &fresh);
    if (fresh) {
        *id = ++o->count;
        hd_bytes_put(&o->raw, &key, sizeof key);
    }
    return *id;
}

/* A code is twice the number of steps since the thread's last event, plus one when the origin is
 * not the one that the place had last; then the origin follows. */
void hd_origin_add(struct hd_origin_log *o, hd_tid thread, uint32_t place, uint32_t step,
                   const struct hd_raw *rec, bool joined)
{
    uint32_t *last = slot(&o->last_step, thread), *guess = slot(&o->guess, place);
    if (!step || !rec) {
        hd_bytes_varint(&o->codes, 1);
        hd_bytes_varint(&o->codes, HD_ORIGIN_NONE);
        return;
    }
    uint32_t id = id_of(o, rec, joined, *guess);
    uint64_t delta = step - *last;
    *last = step;
    hd_bytes_varint(&o->codes, delta * 2 + (id != *guess));
    if (id != *guess)
        hd_bytes_varint(&o->codes, id);
    *guess = id;
}

void hd_origin_fini(struct hd_origin_log *o)
{
    hd_bytes_fini(&o->codes);
    hd_bytes_fini(&o->raw);
    hd_map_fini(&o->ids);
    hd_u32vec_fini(&o->last_step);
    hd_u32vec_fini(&o->guess);
    *o = (struct hd_origin_log){0};
}

uint32_t hd_origin_module_of(const struct hd_vec *modules, uint64_t addr)
{
    uint32_t best = UINT32_MAX;
    for (size_t i = 0; i < modules->len; i++) {
        const struct hd_origin_module *m = hd_vec_at(modules, i);
        if (m->bias > addr)
            continue;
        if (best == UINT32_MAX ||
            m->bias > ((const struct hd_origin_module *)hd_vec_at(modules, best))->bias)
            best = (uint32_t)i;
    }
    return best;
}

void hd_origin_save(const struct hd_origin_log *o, const struct hd_vec *modules, struct hd_trace *t)
{
    struct hd_bytes table = {0};
    for (uint32_t i = 0; i < o->count; i++) {
        uint64_t key;
        memcpy(&key, o->raw.data + i * sizeof key, sizeof key);
        uint64_t site = key >> 9;
        uint32_t module = site ? hd_origin_module_of(modules, site) : UINT32_MAX;
        hd_bytes_varint(&table, key & 0x1ff);
        hd_bytes_varint(&table, module == UINT32_MAX ? 0 : module + 1);
        if (module != UINT32_MAX)
            site -= ((const struct hd_origin_module *)hd_vec_at(modules, module))->bias;
        hd_bytes_varint(&table, site);
    }
    hd_trace_meta_add(t, KEY_STEPS, o->codes.data, o->codes.len);
    hd_trace_meta_add(t, KEY_TABLE, table.data, table.len);
    hd_bytes_fini(&table);
    for (size_t i = 0; i < modules->len; i++) {
        const struct hd_origin_module *m = hd_vec_at(modules, i);
        hd_trace_meta_add(t, KEY_MODULES, m->id, strlen(m->id) + 1);
        hd_trace_meta_add(t, KEY_MODULES, m->path, strlen(m->path) + 1);
    }
}

void hd_origin_modules_fini(struct hd_vec *modules)
{
    for (size_t i = 0; i < modules->len; i++) {
        struct hd_origin_module *m = hd_vec_at(modules, i);
        hd_free(m->path, strlen(m->path) + 1);
        hd_free(m->id, strlen(m->id) + 1);
    }
    hd_vec_fini(modules);
}

static bool load_table(struct hd_origins *o, const uint8_t *data, size_t len)
{
    struct hd_bytes_cur c = {data, data + len, false};
    *(struct hd_origin *)hd_vec_push(&o->table) = (struct hd_origin){0};
    while (c.p < c.end && !c.bad) {
        uint64_t head = hd_bytes_get(&c), module = hd_bytes_get(&c), offset = hd_bytes_get(&c);
        if (module > o->modules.len || head >> 1 > HD_LOG_LAST_EVENT)
            return false;
        *(struct hd_origin *)hd_vec_push(&o->table) =
            (struct hd_origin){.offset = offset,
                               .module = (uint32_t)module - 1,
                               .kind = (uint8_t)(head >> 1),
                               .joined = head & 1};
    }
    return !c.bad;
}

static bool load_modules(struct hd_origins *o, const uint8_t *data, size_t len)
{
    const char *p = (const char *)data, *end = p + len;
    while (p < end) {
        size_t id = strnlen(p, (size_t)(end - p));
        const char *path = p + id + 1;
        if (path >= end)
            return false;
        size_t n = strnlen(path, (size_t)(end - path));
        if (path + n >= end)
            return false;
        struct hd_origin_module *m = hd_vec_push(&o->modules);
        *m = (struct hd_origin_module){.id = hd_strndup(p, id), .path = hd_strndup(path, n)};
        p = path + n + 1;
    }
    return o->modules.len > 0;
}

static bool load_steps(const struct hd_trace *t, struct hd_origins *o, const uint8_t *data,
                       size_t len)
{
    struct hd_bytes_cur c = {data, data + len, false};
    struct hd_u32vec last = {0}, guess = {0};
    bool good = true;
    for (size_t e = 0; good && e < t->n_events; e++) {
        uint32_t *g = slot(&guess, t->place[e]);
        uint64_t code = hd_bytes_get(&c);
        uint64_t id = code & 1 ? hd_bytes_get(&c) : *g;
        good = !c.bad && id < o->table.len && code >> 1 <= UINT32_MAX;
        if (!good || id == HD_ORIGIN_NONE)
            continue;
        uint32_t *s = slot(&last, t->thread[e]);
        *g = (uint32_t)id;
        *s += (uint32_t)(code >> 1);
        o->step[e] = *s;
        o->origin[e] = (uint32_t)id;
    }
    hd_u32vec_fini(&last);
    hd_u32vec_fini(&guess);
    return good && c.p == c.end;
}

enum hd_status hd_origins_load(const struct hd_trace *t, struct hd_origins *o, struct hd_err *err)
{
    size_t n[3];
    const uint8_t *steps = hd_trace_meta(t, KEY_STEPS, &n[0]);
    const uint8_t *table = hd_trace_meta(t, KEY_TABLE, &n[1]);
    const uint8_t *modules = hd_trace_meta(t, KEY_MODULES, &n[2]);
    *o = (struct hd_origins){.n_events = t->n_events};
    o->table = HD_VEC_INIT(struct hd_origin);
    o->modules = HD_VEC_INIT(struct hd_origin_module);
    if (!modules || (t->n_events && (!steps || !table)))
        return hd_err_set(err, HD_ERR_INPUT,
                          "the trace does not say where its events come from, so no program can "
                          "follow it: use the .hdt file that heddle record wrote");
    static const uint8_t nothing;
    steps = steps ? steps : &nothing; /* no events: n is 0 */
    table = table ? table : &nothing;
    o->step = hd_calloc(t->n_events, sizeof *o->step);
    o->origin = hd_calloc(t->n_events, sizeof *o->origin);
    if (!load_modules(o, modules, n[2]) || !load_table(o, table, n[1]) ||
        !load_steps(t, o, steps, n[0]))
        return hd_err_set(err, HD_ERR_INPUT, "the origins of events in the trace are damaged");
    return HD_OK;
}

void hd_origins_fini(struct hd_origins *o)
{
    if (o->step)
        hd_free(o->step, o->n_events * sizeof *o->step);
    if (o->origin)
        hd_free(o->origin, o->n_events * sizeof *o->origin);
    hd_vec_fini(&o->table);
    hd_origin_modules_fini(&o->modules);
}

/* ---- which build is it? ---- */

static bool note_id(const uint8_t *p, size_t len, char *out, size_t size)
{
    while (len >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr n;
        memcpy(&n, p, sizeof n);
        size_t name = ((size_t)n.n_namesz + 3) & ~(size_t)3,
               desc = ((size_t)n.n_descsz + 3) & ~(size_t)3;
        if (name > len - sizeof n || desc > len - sizeof n - name)
            return false;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(p + sizeof n, "GNU", 4) &&
            n.n_descsz * 2 < size) {
            for (size_t i = 0; i < n.n_descsz; i++)
                snprintf(out + 2 * i, 3, "%02x", p[sizeof n + name + i]);
            return true;
        }
        p += sizeof n + name + desc;
        len -= sizeof n + name + desc;
    }
    return false;
}

static bool elf_id(const uint8_t *file, size_t len, char *out, size_t size)
{
    Elf64_Ehdr h;
    if (len < sizeof h)
        return false;
    memcpy(&h, file, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_phentsize != sizeof(Elf64_Phdr))
        return false;
    for (unsigned i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        if (h.e_phoff > len || sizeof p * (i + 1) > len - h.e_phoff)
            return false;
        memcpy(&p, file + h.e_phoff + sizeof p * i, sizeof p);
        if (p.p_type == PT_NOTE && p.p_offset <= len && p.p_filesz <= len - p.p_offset &&
            note_id(file + p.p_offset, p.p_filesz, out, size))
            return true;
    }
    return false;
}

void hd_origin_module_id(const char *path, char *out, size_t size)
{
    struct stat st;
    *out = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    void *p = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (p == MAP_FAILED)
        return;
    if (!elf_id(p, (size_t)st.st_size, out, size))
        snprintf(out, size, "crc-%08lx-%jd", crc32_z(0, p, (size_t)st.st_size),
                 (intmax_t)st.st_size);
    munmap(p, (size_t)st.st_size);
}
