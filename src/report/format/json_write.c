#include "report/format/report_json.h"

#include "base/json.h"
#include "report/data/shape.h"

static void write_fields(struct hd_json *j, const struct hd_shape *shape, const char *base);

static void write_text(struct hd_json *j, const char *text)
{
    if (text)
        hd_json_string(j, text);
    else
        hd_json_null(j);
}

static void write_object(struct hd_json *j, const struct hd_shape *shape, const char *base)
{
    hd_json_begin_object(j);
    write_fields(j, shape, base);
    hd_json_end_object(j);
}

static void write_many(struct hd_json *j, const struct hd_shape_field *f, const char *base)
{
    const char *at = base + f->offset;
    hd_json_begin_array(j);
    if (f->kind == HD_SHAPE_TEXTS) {
        const struct hd_texts *texts = (const void *)at;
        for (size_t i = 0; i < texts->n; i++)
            write_text(j, texts->items[i]);
        hd_json_end_array(j);
        return;
    }
    size_t n = *(const size_t *)(base + f->count);
    for (size_t i = 0; i < n; i++) {
        if (f->kind == HD_SHAPE_U32S)
            hd_json_uint(j, (*(const uint32_t *const *)at)[i]);
        else if (f->kind == HD_SHAPE_LOCKS)
            hd_json_string(j, (*(const struct hd_held *const *)at)[i].name);
        else
            write_object(j, f->shape, *(const char *const *)at + i * f->shape->size);
    }
    hd_json_end_array(j);
}

static void write_value(struct hd_json *j, const struct hd_shape_field *f, const char *base)
{
    const char *at = base + f->offset;
    switch (f->kind) {
    case HD_SHAPE_TEXT:
        write_text(j, *(const char *const *)at);
        return;
    case HD_SHAPE_U32:
        hd_json_uint(j, *(const uint32_t *)at);
        return;
    case HD_SHAPE_U64:
        hd_json_uint(j, *(const uint64_t *)at);
        return;
    case HD_SHAPE_INT:
        hd_json_int(j, *(const int *)at);
        return;
    case HD_SHAPE_DOUBLE:
        hd_json_double(j, *(const double *)at);
        return;
    case HD_SHAPE_BOOL:
        hd_json_bool(j, *(const bool *)at);
        return;
    case HD_SHAPE_CHOICE:
        hd_json_string(j, f->choices[*(const unsigned *)at]);
        return;
    case HD_SHAPE_SUB:
        write_object(j, f->shape, at);
        return;
    case HD_SHAPE_GROUP:
        write_object(j, f->shape, base);
        return;
    default:
        write_many(j, f, base);
    }
}

static void write_fields(struct hd_json *j, const struct hd_shape *shape, const char *base)
{
    for (size_t i = 0; i < shape->n; i++) {
        const struct hd_shape_field *f = &shape->fields[i];
        if (f->kind == HD_SHAPE_SAME) {
            write_fields(j, f->shape, base + f->offset);
            continue;
        }
        hd_json_key(j, f->key);
        write_value(j, f, base);
    }
}

void hd_report_json_write(FILE *out, const struct hd_report *r)
{
    struct hd_json j;
    hd_json_init(&j, out);
    hd_json_begin_object(&j);
    hd_json_key(&j, "schema");
    hd_json_string(&j, HD_REPORT_SCHEMA);
    struct hd_report counted = *r;
    counted.refuted = hd_report_refuted(r);
    write_fields(&j, &hd_shape_report, (const char *)&counted);
    hd_json_end_object(&j);
    fputc('\n', out);
}
