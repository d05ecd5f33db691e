#include "concolic/input.h"

#include "base/alloc.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "heddle-input-1"

static struct hd_input_bytes keep(const void *data, size_t len)
{
    struct hd_input_bytes b = {hd_alloc(len + 1), len};
    memcpy(b.data, data, len);
    b.data[len] = 0;
    return b;
}

static void drop(struct hd_input_bytes *b)
{
    hd_free(b->data, b->len + 1);
}

void hd_input_init(struct hd_input *in)
{
    in->words = HD_VEC_INIT(struct hd_input_bytes);
    in->places = HD_VEC_INIT(struct hd_input_bytes);
    in->objects = HD_VEC_INIT(struct hd_input_object);
}

static void fini_list(struct hd_vec *v)
{
    for (size_t i = 0; i < v->len; i++)
        drop(hd_vec_at(v, i));
    hd_vec_fini(v);
}

void hd_input_fini(struct hd_input *in)
{
    for (size_t i = 0; i < in->objects.len; i++) {
        struct hd_input_object *o = hd_vec_at(&in->objects, i);
        drop(&o->name);
        drop(&o->bytes);
    }
    hd_vec_fini(&in->objects);
    fini_list(&in->words);
    fini_list(&in->places);
}

static void copy_list(struct hd_vec *to, const struct hd_vec *from)
{
    for (size_t i = 0; i < from->len; i++) {
        const struct hd_input_bytes *b = hd_vec_at(from, i);
        *(struct hd_input_bytes *)hd_vec_push(to) = keep(b->data, b->len);
    }
}

void hd_input_copy(struct hd_input *to, const struct hd_input *from)
{
    hd_input_init(to);
    copy_list(&to->words, &from->words);
    copy_list(&to->places, &from->places);
    for (size_t i = 0; i < from->objects.len; i++) {
        const struct hd_input_object *o = hd_vec_at(&from->objects, i);
        hd_input_set(to, (char *)o->name.data, o->bytes.data, o->bytes.len);
    }
}

void hd_input_word(struct hd_input *in, const char *text)
{
    *(struct hd_input_bytes *)hd_vec_push(&in->words) = keep(text, strlen(text));
}

void hd_input_place(struct hd_input *in, const char *text)
{
    *(struct hd_input_bytes *)hd_vec_push(&in->places) = keep(text, strlen(text));
}

const struct hd_input_object *hd_input_find(const struct hd_input *in, const char *name)
{
    for (size_t i = 0; i < in->objects.len; i++) {
        const struct hd_input_object *o = hd_vec_at(&in->objects, i);
        if (strcmp((char *)o->name.data, name) == 0)
            return o;
    }
    return NULL;
}

void hd_input_set(struct hd_input *in, const char *name, const void *bytes, size_t len)
{
    struct hd_input_object *o = (struct hd_input_object *)(uintptr_t)hd_input_find(in, name);
    if (o) {
        drop(&o->bytes);
    } else {
        o = hd_vec_push(&in->objects);
        o->name = keep(name, strlen(name));
    }
    o->bytes = keep(bytes, len);
}

/* ---- files ---- */

static void write_bytes(FILE *f, struct hd_input_bytes b)
{
    fputc('"', f);
    for (size_t i = 0; i < b.len; i++) {
        uint8_t c = b.data[i];
        if (c >= ' ' && c < 127 && c != '"' && c != '\\')
            fputc(c, f);
        else
            fprintf(f, "\\x%02x", c);
    }
    fputs("\"\n", f);
}

/* Written in place and not forced to the disk: a search writes one for each run. */
enum hd_status hd_input_save(const char *path, const struct hd_input *in, struct hd_err *err)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    fputs(HEAD "\n", f);
    for (size_t i = 0; i < in->words.len; i++) {
        fputs("word ", f);
        write_bytes(f, *(struct hd_input_bytes *)hd_vec_at(&in->words, i));
    }
    for (size_t i = 0; i < in->places.len; i++) {
        fputs("place ", f);
        write_bytes(f, *(struct hd_input_bytes *)hd_vec_at(&in->places, i));
    }
    for (size_t i = 0; i < in->objects.len; i++) {
        const struct hd_input_object *o = hd_vec_at(&in->objects, i);
        fprintf(f, "object %s ", o->name.data);
        write_bytes(f, o->bytes);
    }
    bool failed = ferror(f);
    if (fclose(f) || failed)
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    return HD_OK;
}

static int hex(int c)
{
    return isdigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The quoted text that ends the line, decoded in place. NULL: malformed. */
static char *unquote(char *text, size_t *len)
{
    size_t n = 0;
    if (*text != '"')
        return NULL;
    char *to = text;
    for (const char *p = text + 1; *p != '"'; p++) {
        if (*p == 0)
            return NULL;
        if (*p != '\\') {
            to[n++] = *p;
            continue;
        }
        if (p[1] != 'x' || hex(p[2]) < 0 || hex(p[3]) < 0)
            return NULL;
        to[n++] = (char)(hex(p[2]) * 16 + hex(p[3]));
        p += 3;
    }
    *len = n;
    return text;
}

static const char *take_line(struct hd_input *in, char *line)
{
    size_t len, cut = strcspn(line, " ");
    char *rest = line[cut] ? line + cut + 1 : line + cut, *name = NULL;
    line[cut] = 0;
    if (strcmp(line, "object") == 0) {
        name = rest;
        rest += strcspn(rest, " ");
        if (!*rest || rest == name)
            return "an object needs a name and bytes in quotes";
        *rest++ = 0;
    }
    char *text = unquote(rest, &len);
    if (!text)
        return "bytes are written in quotes, with \\xHH for what is not plain text";
    struct hd_input_bytes b = {(uint8_t *)text, len};
    if (name)
        hd_input_set(in, name, b.data, b.len);
    else if (strcmp(line, "word") == 0)
        *(struct hd_input_bytes *)hd_vec_push(&in->words) = keep(b.data, b.len);
    else if (strcmp(line, "place") == 0)
        *(struct hd_input_bytes *)hd_vec_push(&in->places) = keep(b.data, b.len);
    else
        return "a line starts with word, place or object";
    return NULL;
}

enum hd_status hd_input_load(const char *path, struct hd_input *in, struct hd_err *err)
{
    char *line = NULL;
    size_t cap = 0;
    uint64_t number = 0;
    const char *wrong = NULL;
    hd_input_init(in);
    FILE *f = fopen(path, "r");
    if (!f)
        return hd_err_set(err, HD_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    ssize_t n;
    while (!wrong && (n = getline(&line, &cap, f)) >= 0) {
        number++;
        if (n > 0 && line[n - 1] == '\n')
            line[--n] = 0;
        if (number == 1)
            wrong = strcmp(line, HEAD) == 0 ? NULL : "this is no input file of heddle hunt";
        else if (*line && *line != '#')
            wrong = take_line(in, line);
    }
    if (number == 0)
        wrong = "this is no input file of heddle hunt";
    free(line); /* getline's own */
    fclose(f);
    return wrong ? hd_err_at(err, HD_ERR_INPUT, path, number ? number : 1, "%s", wrong) : HD_OK;
}
