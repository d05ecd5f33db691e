#include "recording/recnames.h"

#include "base/alloc.h"
#include "base/log.h"
#include "log/rt_pack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 3 /* of zstd: small blocks, written once */

struct text {
    struct hd_vec bytes; /* char */
};

static void add(struct text *t, const void *data, size_t len)
{
    size_t need = t->bytes.len + len;
    if (need > t->bytes.cap)
        hd_vec_reserve(&t->bytes, need + need / 2);
    if (len)
        memcpy((char *)t->bytes.data + t->bytes.len, data, len);
    t->bytes.len += len;
}

static void add64(struct text *t, uint64_t v)
{
    uint8_t b[8];
    for (unsigned i = 0; i < 8; i++)
        b[i] = (uint8_t)(v >> 8 * i);
    add(t, b, 8);
}

static void see(void *ctx, bool module, const char *name, uint64_t addr, uint64_t size)
{
    struct text *t = ctx;
    add(t, module ? "M" : "V", 1);
    add64(t, addr);
    add64(t, size);
    add(t, name, strlen(name) + 1);
}

static bool has_code(uint64_t key)
{
    unsigned shape = hd_pack_shape(key);
    return key >> 16 && !(shape & HD_SHAPE_SITE) && hd_shape_kind(shape) != HD_LOG_MORE;
}

void hd_recnames_write(struct hd_rec_writer *w, const uint64_t *keys, uint32_t n_keys,
                       struct hd_symbols *symbols)
{
    struct text t = {HD_VEC_INIT(char)};
    struct hd_map named = {0};
    for (uint32_t i = 1; i < n_keys; i++) {
        uint64_t pc = keys[i] >> 16;
        bool fresh = false;
        add64(&t, keys[i]);
        if (has_code(keys[i]))
            hd_map_put(&named, pc, &fresh);
        add(&t, fresh ? "N" : "-", 1);
        if (!fresh)
            continue;
        const struct hd_symbols_code *code = hd_symbols_code(symbols, pc);
        add64(&t, code->column);
        add(&t, code->place, strlen(code->place) + 1);
        add(&t, code->function, strlen(code->function) + 1);
    }
    hd_map_fini(&named);
    hd_rec_put(w, HD_REC_KEYS, t.bytes.data, t.bytes.len, LEVEL);
    t.bytes.len = 0;
    hd_symbols_each(symbols, see, &t);
    hd_rec_put(w, HD_REC_SYMBOLS, t.bytes.data, t.bytes.len, LEVEL);
    hd_vec_fini(&t.bytes);
}

static uint64_t get64(const char *p)
{
    uint64_t v = 0;
    for (unsigned i = 8; i--;)
        v = v << 8 | (uint8_t)p[i];
    return v;
}

/* The text at p must end before end; 0-terminated blocks make that so. */
static const char *after(const char *text)
{
    return text + strlen(text) + 1;
}

static bool read_keys(struct hd_recnames *d)
{
    const char *p = d->keys_block, *end = p + d->keys_len;
    *(uint64_t *)hd_vec_push(&d->keys) = 0;
    *(struct hd_recnames_code *)hd_vec_push(&d->code) = (struct hd_recnames_code){"", "", 0};
    while (end - p >= 9) {
        uint64_t key = get64(p);
        *(uint64_t *)hd_vec_push(&d->keys) = key;
        p += 9;
        if (p[-1] != 'N')
            continue;
        if (end - p < 10)
            return false;
        struct hd_recnames_code *c = hd_vec_push(&d->code);
        *hd_map_put(&d->by_pc, key >> 16, NULL) = (uint32_t)d->code.len - 1;
        c->column = (uint32_t)get64(p);
        c->place = p + 8;
        c->function = after(c->place);
        if (c->function >= end)
            return false;
        p = after(c->function);
    }
    return p == end && d->keys.len <= HD_LOG_KEYS;
}

static int by_address(const void *a, const void *b)
{
    const struct hd_recnames_symbol *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return -strcmp(x->name, y->name); /* of aliases, the one without underscores is found */
}

static bool read_symbols(struct hd_recnames *d)
{
    const char *p = d->symbols_block, *end = p + d->symbols_len;
    while (end - p >= 18) {
        struct hd_recnames_symbol *s = hd_vec_push(*p == 'M' ? &d->modules : &d->symbols);
        *s = (struct hd_recnames_symbol){get64(p + 1), get64(p + 9), p + 17};
        p = after(p + 17);
    }
    if (d->modules.len)
        qsort(d->modules.data, d->modules.len, d->modules.size, by_address);
    if (d->symbols.len)
        qsort(d->symbols.data, d->symbols.len, d->symbols.size, by_address);
    return p == end;
}

enum hd_status hd_recnames_read(const struct hd_rec *rec, struct hd_recnames *d, struct hd_err *err)
{
    *d = (struct hd_recnames){
        .keys = HD_VEC_INIT(uint64_t),
        .code = HD_VEC_INIT(struct hd_recnames_code),
        .modules = HD_VEC_INIT(struct hd_recnames_symbol),
        .symbols = HD_VEC_INIT(struct hd_recnames_symbol),
    };
    enum hd_status s = hd_rec_get(rec, HD_REC_KEYS, &d->keys_block, &d->keys_len, err);
    if (s == HD_OK)
        s = hd_rec_get(rec, HD_REC_SYMBOLS, &d->symbols_block, &d->symbols_len, err);
    if (s == HD_OK && (!read_keys(d) || !read_symbols(d)))
        s = hd_err_at(err, HD_ERR_INPUT, rec->name, 0, "the names of the recording are damaged");
    HD_DEBUG_LINE(RECORDING, "%s: %zu modules, %zu symbols, %zu places", rec->name, d->modules.len,
                  d->symbols.len, d->code.len);
    return s;
}

void hd_recnames_fini(struct hd_recnames *d)
{
    hd_free(d->keys_block, d->keys_block ? d->keys_len + 1 : 0);
    hd_free(d->symbols_block, d->symbols_block ? d->symbols_len + 1 : 0);
    hd_vec_fini(&d->keys);
    hd_vec_fini(&d->code);
    hd_map_fini(&d->by_pc);
    hd_vec_fini(&d->modules);
    hd_vec_fini(&d->symbols);
    *d = (struct hd_recnames){0};
}

static const struct hd_recnames_code *code_at(const struct hd_recnames *d, uint64_t pc)
{
    uint32_t at = 0;
    hd_map_get(&d->by_pc, pc, &at);
    return hd_vec_at(&d->code, at);
}

bool hd_recnames_place(const struct hd_recnames *d, uint64_t pc, char *out, size_t size)
{
    const char *text = code_at(d, pc)->place;
    if (*text)
        snprintf(out, size, "%s", text);
    return *text;
}

bool hd_recnames_function(const struct hd_recnames *d, uint64_t pc, char *out, size_t size)
{
    const char *text = code_at(d, pc)->function;
    if (*text)
        snprintf(out, size, "%s", text);
    return *text;
}

uint32_t hd_recnames_column(const struct hd_recnames *d, uint64_t pc)
{
    return code_at(d, pc)->column;
}

/* The last one that starts at or before addr and reaches over it, or NULL. */
static const struct hd_recnames_symbol *find(const struct hd_vec *v, uint64_t addr)
{
    size_t low = 0, high = v->len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (((const struct hd_recnames_symbol *)hd_vec_at(v, mid))->addr <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    const struct hd_recnames_symbol *s = low ? hd_vec_at(v, low - 1) : NULL;
    return s && addr - s->addr < s->size ? s : NULL;
}

bool hd_recnames_module(const struct hd_recnames *d, uint64_t addr, char *out, size_t size)
{
    const struct hd_recnames_symbol *s = find(&d->modules, addr);
    if (s)
        snprintf(out, size, "%s", s->name);
    return s != NULL;
}

/* "+8", as far as it fits. */
static void put_offset(uint64_t offset, char *out, size_t size)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + offset % 10);
    while (offset /= 10);
    digits[--at] = '+';
    size_t n = sizeof digits - at < size ? sizeof digits - at : size - 1;
    memcpy(out, digits + at, n);
    out[n] = 0;
}

bool hd_recnames_data(const struct hd_recnames *d, uint64_t addr, char *out, size_t size)
{
    const struct hd_recnames_symbol *s = find(&d->modules, addr);
    if (!s)
        return false;
    const struct hd_recnames_symbol *variable = find(&d->symbols, addr);
    s = variable ? variable : s;
    size_t n = strlen(s->name);
    if (n >= size)
        n = size - 1;
    memcpy(out, s->name, n); /* there may be as many as events: printf only for what is rare */
    out[n] = 0;
    if (addr > s->addr)
        put_offset(addr - s->addr, out + n, size - n);
    return true;
}
