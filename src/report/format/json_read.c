#include "report/format/report_json.h"

#include "base/alloc.h"
#include "report/data/shape.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

struct reading {
    const char *name;
    struct hd_report *r;
    struct hd_err *err;
};

#define REFUSE(g, ...) hd_err_at((g)->err, HD_ERR_INPUT, (g)->name, 0, __VA_ARGS__)

static enum hd_status read_fields(const struct reading *g, const struct hd_shape *shape,
                                  const json_t *from, char *base);

static enum hd_status wrong(const struct reading *g, const struct hd_shape_field *f,
                            const char *what)
{
    return REFUSE(g, "\"%s\" must be %s", f->key, what);
}

static enum hd_status read_text(const struct reading *g, const struct hd_shape_field *f,
                                const json_t *value, const char **text)
{
    if (json_is_string(value))
        *text = hd_report_text(g->r, json_string_value(value));
    else if (f->need || !json_is_null(value))
        return wrong(g, f, f->need ? "a string" : "a string or null");
    return HD_OK;
}

static enum hd_status read_number(const struct reading *g, const struct hd_shape_field *f,
                                  const json_t *value, char *at)
{
    if (f->kind == HD_SHAPE_DOUBLE) {
        if (!json_is_number(value) && !json_is_null(value))
            return wrong(g, f, "a number");
        *(double *)at = json_number_value(value);
        return HD_OK;
    }
    json_int_t n = json_integer_value(value);
    if (!json_is_integer(value))
        return wrong(g, f, "a whole number");
    if (f->kind == HD_SHAPE_INT) {
        if (n < INT32_MIN || n > INT32_MAX)
            return wrong(g, f, "a whole number of 32 bits");
        *(int *)at = (int)n;
        return HD_OK;
    }
    if (n < 0 || (f->kind == HD_SHAPE_U32 && n > UINT32_MAX))
        return wrong(g, f, "a whole number from 0");
    if (f->kind == HD_SHAPE_U32)
        *(uint32_t *)at = (uint32_t)n;
    else
        *(uint64_t *)at = (uint64_t)n;
    return HD_OK;
}

static enum hd_status read_choice(const struct reading *g, const struct hd_shape_field *f,
                                  const json_t *value, char *at)
{
    const char *text = json_string_value(value);
    for (int i = 0; text && i < f->n_choices; i++)
        if (!strcmp(text, f->choices[i])) {
            *(unsigned *)at = (unsigned)i;
            return HD_OK;
        }
    return REFUSE(g, "\"%s\" is not one that is known", f->key);
}

static enum hd_status read_texts(const struct reading *g, const struct hd_shape_field *f,
                                 const json_t *value, struct hd_texts *texts)
{
    size_t n = json_array_size(value);
    texts->items = hd_report_array(g->r, n, sizeof *texts->items);
    texts->n = n;
    for (size_t i = 0; i < n; i++) {
        enum hd_status s = read_text(g, f, json_array_get(value, i), &texts->items[i]);
        if (s != HD_OK)
            return s;
    }
    return HD_OK;
}

/* The events as recorded: every step once. */
static enum hd_status read_order(const struct reading *g, const struct hd_shape_field *f,
                                 const json_t *value, size_t n, uint32_t **order)
{
    if (json_array_size(value) != n)
        return wrong(g, f, "as long as \"schedule\"");
    bool *seen = hd_report_array(g->r, n, sizeof *seen);
    *order = hd_report_array(g->r, n, sizeof **order);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(value, i);
        json_int_t index = json_is_integer(item) ? json_integer_value(item) : -1;
        if (index < 0 || (uint64_t)index >= n || seen[index])
            return wrong(g, f, "a permutation of the entries of \"schedule\", from 0");
        seen[index] = true;
        (*order)[i] = (uint32_t)index;
    }
    return HD_OK;
}

static enum hd_status read_locks(const struct reading *g, const struct hd_shape_field *f,
                                 const json_t *value, struct hd_held **locks, size_t *n)
{
    if (*n)
        return HD_OK;
    *n = json_array_size(value);
    *locks = hd_report_array(g->r, *n, sizeof **locks);
    for (size_t i = 0; i < *n; i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_string(item))
            return wrong(g, f, "an array of names");
        (*locks)[i].name = hd_report_text(g->r, json_string_value(item));
    }
    return HD_OK;
}

static enum hd_status read_list(const struct reading *g, const struct hd_shape_field *f,
                                const json_t *value, char *base)
{
    size_t n = json_array_size(value);
    char *items = hd_report_array(g->r, n, f->shape->size);
    *(char **)(base + f->offset) = items;
    *(size_t *)(base + f->count) = n;
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_object(item))
            return wrong(g, f, "an array of objects");
        enum hd_status s = read_fields(g, f->shape, item, items + i * f->shape->size);
        if (s != HD_OK)
            return s;
    }
    return HD_OK;
}

static enum hd_status read_many(const struct reading *g, const struct hd_shape_field *f,
                                const json_t *value, char *base)
{
    char *at = base + f->offset;
    if (!json_is_array(value))
        return wrong(g, f, "an array");
    switch (f->kind) {
    case HD_SHAPE_TEXTS:
        return read_texts(g, f, value, (struct hd_texts *)at);
    case HD_SHAPE_U32S:
        return read_order(g, f, value, *(size_t *)(base + f->count), (uint32_t **)at);
    case HD_SHAPE_LOCKS:
        return read_locks(g, f, value, (struct hd_held **)at, (size_t *)(base + f->count));
    default:
        return read_list(g, f, value, base);
    }
}

static enum hd_status read_value(const struct reading *g, const struct hd_shape_field *f,
                                 const json_t *value, char *base)
{
    char *at = base + f->offset;
    switch (f->kind) {
    case HD_SHAPE_TEXT:
        return read_text(g, f, value, (const char **)at);
    case HD_SHAPE_U32:
    case HD_SHAPE_U64:
    case HD_SHAPE_INT:
    case HD_SHAPE_DOUBLE:
        return read_number(g, f, value, at);
    case HD_SHAPE_BOOL:
        if (!json_is_boolean(value))
            return wrong(g, f, "true or false");
        *(bool *)at = json_is_true(value);
        return HD_OK;
    case HD_SHAPE_CHOICE:
        return read_choice(g, f, value, at);
    case HD_SHAPE_SUB:
    case HD_SHAPE_GROUP:
        if (!json_is_object(value))
            return wrong(g, f, "an object");
        return read_fields(g, f->shape, value, f->kind == HD_SHAPE_SUB ? at : base);
    default:
        return read_many(g, f, value, base);
    }
}

static enum hd_status read_fields(const struct reading *g, const struct hd_shape *shape,
                                  const json_t *from, char *base)
{
    enum hd_status s = HD_OK;
    for (size_t i = 0; i < shape->n && s == HD_OK; i++) {
        const struct hd_shape_field *f = &shape->fields[i];
        if (f->kind == HD_SHAPE_SAME) {
            s = read_fields(g, f->shape, from, base + f->offset);
            continue;
        }
        const json_t *value = json_object_get(from, f->key);
        if (value)
            s = read_value(g, f, value, base);
        else if (f->kind == HD_SHAPE_U32S && *(size_t *)(base + f->count))
            s = REFUSE(g, "\"%s\" is missing", f->key);
        else if (f->need && f->kind == HD_SHAPE_TEXT)
            s = REFUSE(g, "\"%s\" is missing", f->key);
    }
    return s;
}

/* What every writer of a format may rely on. */
static enum hd_status check(const struct reading *g)
{
    static const size_t least[HD_PROPERTIES] = {2, 3, 1, 1};
    for (size_t i = 0; i < g->r->n_findings; i++) {
        const struct hd_finding *f = &g->r->findings[i];
        if (f->n_accesses < least[f->property])
            return REFUSE(g, "%.40s: too few \"accesses\"", f->id);
    }
    return HD_OK;
}

static enum hd_status read_root(const struct reading *g, const json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema)
        return REFUSE(g, "not a report: no \"schema\"");
    if (strcmp(schema, HD_REPORT_SCHEMA) != 0)
        return REFUSE(g, "the schema is \"%.40s\", not \"" HD_REPORT_SCHEMA "\"", schema);
    enum hd_status s = read_fields(g, &hd_shape_report, root, (char *)g->r);
    return s == HD_OK ? check(g) : s;
}

static enum hd_status read_json(json_t *root, const json_error_t *error, const char *name,
                                struct hd_report **r, struct hd_err *err)
{
    struct reading g = {name, NULL, err};
    *r = NULL;
    if (!root)
        return hd_err_at(err, HD_ERR_INPUT, name, error->line > 0 ? (uint64_t)error->line : 0,
                         "not JSON: %s", error->text);
    g.r = hd_report_new();
    enum hd_status s = read_root(&g, root);
    json_decref(root);
    if (s == HD_OK)
        *r = g.r;
    else
        hd_report_free(g.r);
    return s;
}

enum hd_status hd_report_json_parse(const char *text, size_t len, const char *name,
                                    struct hd_report **r, struct hd_err *err)
{
    json_error_t error;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    return read_json(root, &error, name, r, err);
}

enum hd_status hd_report_json_load(const char *path, struct hd_report **r, struct hd_err *err)
{
    bool input = !strcmp(path, "-");
    const char *name = input ? "<stdin>" : path;
    json_error_t error;
    *r = NULL;
    FILE *file = input ? stdin : fopen(path, "re");
    if (!file)
        return hd_err_at(err, HD_ERR_IO, name, 0, "%s", strerror(errno));
    errno = 0;
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    int failed = ferror(file) ? errno : 0;
    if (!input)
        fclose(file);
    if (failed) {
        json_decref(root);
        return hd_err_at(err, HD_ERR_IO, name, 0, "cannot read: %s", strerror(failed));
    }
    return read_json(root, &error, name, r, err);
}
