/* Copies a finding from one report into another, by the tables of shape.h. */
#include "report/data/shape.h"

#include <string.h>

static void copy_fields(struct hd_report *to, const struct hd_shape *shape, char *base);

static void copy_texts(struct hd_report *to, struct hd_texts *texts)
{
    const char **items = hd_report_array(to, texts->n, sizeof *items);
    for (size_t i = 0; i < texts->n; i++)
        items[i] = hd_report_text(to, texts->items[i]);
    texts->items = items;
}

/* The n elements that *list points to, `size` bytes each. */
static void copy_array(struct hd_report *to, void **list, size_t n, size_t size)
{
    void *copy = hd_report_array(to, n, size);
    if (n && *list)
        memcpy(copy, *list, n * size);
    if (*list)
        *list = copy;
}

/* What stands at a field, which has the old pointer, gets a copy of its own. */
static void copy_field(struct hd_report *to, const struct hd_shape_field *f, char *base)
{
    char *at = base + f->offset;
    size_t n =
        f->kind == HD_SHAPE_LIST || f->kind == HD_SHAPE_U32S ? *(size_t *)(base + f->count) : 0;
    switch (f->kind) {
    case HD_SHAPE_TEXT:
        *(const char **)at = hd_report_text(to, *(const char **)at);
        break;
    case HD_SHAPE_TEXTS:
        copy_texts(to, (struct hd_texts *)at);
        break;
    case HD_SHAPE_U32S:
        copy_array(to, (void **)at, n, sizeof(uint32_t));
        break;
    case HD_SHAPE_LIST:
        copy_array(to, (void **)at, n, f->shape->size);
        for (size_t i = 0; i < n; i++)
            copy_fields(to, f->shape, *(char **)at + i * f->shape->size);
        break;
    case HD_SHAPE_SUB:
    case HD_SHAPE_SAME:
        copy_fields(to, f->shape, at);
        break;
    case HD_SHAPE_GROUP:
        copy_fields(to, f->shape, base);
        break;
    default: /* numbers; the names of LOCKS are those of a LIST */
        break;
    }
}

static void copy_fields(struct hd_report *to, const struct hd_shape *shape, char *base)
{
    for (size_t i = 0; i < shape->n; i++)
        copy_field(to, &shape->fields[i], base);
}

struct hd_finding hd_report_copy(struct hd_report *to, const struct hd_finding *f)
{
    struct hd_finding copy = *f;
    copy_fields(to, &hd_shape_finding, (char *)&copy);
    return copy;
}
