#include "recording/recmeta.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hd_recmeta_init(struct hd_recmeta *m)
{
    m->text = HD_VEC_INIT(char);
}

void hd_recmeta_fini(struct hd_recmeta *m)
{
    hd_vec_fini(&m->text);
}

static void put(struct hd_recmeta *m, char c)
{
    *(char *)hd_vec_push(&m->text) = c;
}

void hd_recmeta_add(struct hd_recmeta *m, const char *key, const char *value)
{
    static const char hex[] = "0123456789abcdef";
    while (*key)
        put(m, *key++);
    put(m, ' ');
    for (const unsigned char *p = (const unsigned char *)value; *p; p++) {
        if (*p >= ' ' && *p != '%') {
            put(m, (char)*p);
            continue;
        }
        put(m, '%');
        put(m, hex[*p >> 4]);
        put(m, hex[*p & 15]);
    }
    put(m, '\n');
}

void hd_recmeta_add_number(struct hd_recmeta *m, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    hd_recmeta_add(m, key, text);
}

enum hd_status hd_recmeta_read(const struct hd_rec *rec, struct hd_recmeta *m, struct hd_err *err)
{
    char *data;
    size_t len;
    hd_recmeta_init(m);
    enum hd_status s = hd_rec_get(rec, HD_REC_META, &data, &len, err);
    if (s != HD_OK)
        return s;
    for (size_t i = 0; i < len; i++)
        put(m, data[i]);
    hd_free(data, len + 1);
    return HD_OK;
}

static void decode(const char *from, const char *end, char *out, size_t size)
{
    size_t n = 0;
    while (from < end && n + 1 < size) {
        char byte[3] = {0};
        if (*from == '%' && end - from >= 3) {
            memcpy(byte, from + 1, 2);
            out[n++] = (char)strtoul(byte, NULL, 16);
            from += 3;
        } else {
            out[n++] = *from++;
        }
    }
    out[n] = 0;
}

bool hd_recmeta_get(const struct hd_recmeta *m, const char *key, size_t n, char *out, size_t size)
{
    const char *p = m->text.data, *end = m->text.len ? p + m->text.len : p;
    size_t len = strlen(key);
    while (p < end) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        line_end = line_end ? line_end : end;
        if ((size_t)(line_end - p) > len && !memcmp(p, key, len) && p[len] == ' ' && n-- == 0) {
            decode(p + len + 1, line_end, out, size);
            return true;
        }
        p = line_end + 1;
    }
    return false;
}

uint64_t hd_recmeta_number(const struct hd_recmeta *m, const char *key)
{
    char text[32];
    return hd_recmeta_get(m, key, 0, text, sizeof text) ? strtoull(text, NULL, 10) : 0;
}
