#include "cli/compare_json.h"

static void put_count(struct hd_json *j, const char *key, uint64_t value)
{
    hd_json_key(j, key);
    hd_json_uint(j, value);
}

static void put_seconds(struct hd_json *j, double seconds)
{
    hd_json_key(j, "seconds");
    hd_json_double(j, seconds);
}

/* The pairs of places: ["a.c:3", "a.c:9"]. */
static void put_pairs(struct hd_json *j, const struct hd_trace *t, const struct hd_pairs *pairs)
{
    hd_json_key(j, "pairs");
    hd_json_begin_array(j);
    for (size_t i = 0; i < pairs->len; i++) {
        hd_json_begin_array(j);
        hd_json_string(j, hd_names_text(&t->places, pairs->data[i].a));
        hd_json_string(j, hd_names_text(&t->places, pairs->data[i].b));
        hd_json_end_array(j);
    }
    hd_json_end_array(j);
}

static void put_detectors(struct hd_json *j, const struct hd_trace *t,
                          const struct hd_compare_row *row)
{
    hd_json_key(j, "detectors");
    hd_json_begin_object(j);
    for (size_t i = 0; i < row->n_cells; i++) {
        hd_json_key(j, row->cells[i].name);
        hd_json_begin_object(j);
        hd_json_key(j, "done");
        hd_json_bool(j, row->cells[i].done);
        put_count(j, "places", row->cells[i].places);
        put_count(j, "undecided", row->cells[i].undecided);
        put_seconds(j, row->cells[i].seconds);
        put_pairs(j, t, &row->cells[i].pairs);
        hd_json_end_object(j);
    }
    hd_json_end_object(j);
}

static void put_stages(struct hd_json *j, const struct hd_compare_row *row)
{
    hd_json_key(j, "stages");
    hd_json_begin_object(j);
    for (int p = 0; p < HD_PREDICTED_PROPERTIES; p++) {
        const struct hd_compare_stage *s = &row->stages[p];
        hd_json_key(j, hd_property_names[p]);
        hd_json_begin_object(j);
        put_count(j, "candidates", s->candidates);
        put_count(j, "lockset", s->lockset);
        put_count(j, "mhb", s->mhb);
        put_count(j, "both", s->both);
        put_count(j, "ucg", s->ucg);
        put_count(j, "witnesses", s->witnesses);
        put_count(j, "undecided", s->undecided);
        put_seconds(j, s->seconds);
        hd_json_key(j, "filter_seconds");
        hd_json_double(j, s->filter_seconds);
        hd_json_end_object(j);
    }
    hd_json_end_object(j);
}

void hd_compare_json_begin(struct hd_json *j, FILE *out)
{
    hd_json_init(j, out);
    hd_json_begin_object(j);
    hd_json_key(j, "traces");
    hd_json_begin_array(j);
}

void hd_compare_json_row(struct hd_json *j, const struct hd_trace *t,
                         const struct hd_compare_row *row)
{
    hd_json_begin_object(j);
    hd_json_key(j, "trace");
    hd_json_string(j, row->trace);
    put_count(j, "threads", row->threads);
    put_count(j, "events", row->events);
    put_count(j, "accesses", row->accesses);
    put_count(j, "sync", row->sync);
    put_count(j, "branches", row->branches);
    put_count(j, "candidates", row->candidates);
    put_detectors(j, t, row);
    put_stages(j, row);
    hd_json_end_object(j);
}

void hd_compare_json_end(struct hd_json *j)
{
    hd_json_end_array(j);
    hd_json_end_object(j);
}
