#include "concolic/ktest.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define VERSION 3u

static void put_number(FILE *f, size_t n)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        fputc((int)(n >> shift & 0xff), f);
}

static void put_bytes(FILE *f, struct hd_input_bytes b, size_t more)
{
    put_number(f, b.len + more);
    fwrite(b.data, 1, b.len + more, f); /* a zero follows every struct hd_input_bytes */
}

static enum hd_status end(FILE *f, const char *path, struct hd_err *err)
{
    bool failed = ferror(f);
    if (fclose(f) || failed)
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    return HD_OK;
}

enum hd_status hd_ktest_save(const char *path, const struct hd_input *in, struct hd_err *err)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    fputs("KTEST", f);
    put_number(f, VERSION);
    put_number(f, in->words.len);
    for (size_t i = 0; i < in->words.len; i++)
        put_bytes(f, *(struct hd_input_bytes *)hd_vec_at(&in->words, i), 1);
    put_number(f, 0);
    put_number(f, 0);
    put_number(f, in->objects.len);
    for (size_t i = 0; i < in->objects.len; i++) {
        const struct hd_input_object *o = hd_vec_at(&in->objects, i);
        put_bytes(f, o->name, 1);
        put_bytes(f, o->bytes, 0);
    }
    return end(f, path, err);
}

/* Of a stream the first bytes are there, as many as its length says. */
static size_t length_of(const struct hd_input *in, const struct hd_input_object *o)
{
    char name[128];
    snprintf(name, sizeof name, "%.100s.length", (const char *)o->name.data);
    const struct hd_input_object *l = hd_input_find(in, name);
    size_t n = l && l->bytes.len == 2 ? l->bytes.data[0] | (size_t)l->bytes.data[1] << 8 : SIZE_MAX;
    return n < o->bytes.len ? n : o->bytes.len;
}

enum hd_status hd_ktest_plain(const char *prefix, const struct hd_input *in, struct hd_err *err)
{
    char path[PATH_MAX + 128];
    size_t n = strlen(prefix);
    for (size_t i = 0; i < in->objects.len; i++) {
        const struct hd_input_object *o = hd_vec_at(&in->objects, i);
        snprintf(path, sizeof path, "%s.%s", prefix, (const char *)o->name.data);
        for (char *p = path + n; *p; p++)
            if (*p == '/')
                *p = '_';
        FILE *f = fopen(path, "w");
        if (!f)
            return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
        fwrite(o->bytes.data, 1, length_of(in, o), f);
        enum hd_status s = end(f, path, err);
        if (s != HD_OK)
            return s;
    }
    return HD_OK;
}
