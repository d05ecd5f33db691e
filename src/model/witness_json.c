#include "model/witness_json.h"

#include "base/alloc.h"
#include "model/witness_runs.h"
#include "trace/digest.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "heddle-witness-1"

/* Where the events of a property stand. */
static const char *const events_key[HD_PROPERTIES] = {"pair", "triple", "cycle", "last"};

struct reading {
    const char *name;
    const struct hd_trace *t;
    struct hd_witness *w;
    struct hd_err *err;
};

#define REFUSE(r, ...) hd_err_at((r)->err, HD_ERR_INPUT, (r)->name, 0, __VA_ARGS__)

/* A 1-based event number of the trace. */
static bool event_number(const struct reading *r, const json_t *value, hd_eid *e)
{
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : 0;
    if (number < 1 || (uint64_t)number > r->t->n_events)
        return false;
    *e = (hd_eid)(number - 1);
    return true;
}

static enum hd_status read_head(const struct reading *r, const json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const char *digest = json_string_value(json_object_get(root, "digest"));
    char own[HD_DIGEST_SIZE];
    if (!schema)
        return REFUSE(r, "not a witness: no \"schema\"");
    if (strcmp(schema, SCHEMA) != 0)
        return REFUSE(r, "the schema is \"%.40s\", not \"" SCHEMA "\"", schema);
    if (!digest)
        return REFUSE(r, "no \"digest\" to tell which trace the witness belongs to");
    hd_digest_trace(r->t, own);
    if (strcmp(digest, own) != 0)
        return REFUSE(r,
                      "the witness belongs to another trace: its digest is %.60s, that of this "
                      "trace is %s",
                      digest, own);
    return HD_OK;
}

/* The form of a race; left out it is simultaneous. */
static enum hd_status read_form(const struct reading *r, const json_t *root)
{
    const json_t *form = json_object_get(root, "form");
    const char *name = form ? json_string_value(form) : hd_race_forms[0];
    r->w->unordered = name && !strcmp(name, hd_race_forms[1]);
    if (!name || (strcmp(name, hd_race_forms[0]) && !r->w->unordered))
        return REFUSE(r, "\"form\" must be simultaneous or unordered");
    return HD_OK;
}

static enum hd_status read_pair(const struct reading *r, const json_t *root)
{
    const json_t *pair = json_object_get(root, "pair");
    if (!json_is_array(pair) || json_array_size(pair) != 2 ||
        !event_number(r, json_array_get(pair, 0), &r->w->a) ||
        !event_number(r, json_array_get(pair, 1), &r->w->b))
        return REFUSE(r, "\"pair\" must be two event numbers from 1 to %zu", r->t->n_events);
    return read_form(r, root);
}

/* The events of a property that is not a race, under the key that belongs to it. */
static enum hd_status read_events(const struct reading *r, const json_t *root, const char *key)
{
    const json_t *list = json_object_get(root, key);
    if (!json_is_array(list))
        return REFUSE(r, "\"%s\" must be an array of event numbers", key);
    r->w->n_events = json_array_size(list);
    r->w->events = hd_alloc(r->w->n_events * sizeof *r->w->events);
    for (size_t i = 0; i < r->w->n_events; i++)
        if (!event_number(r, json_array_get(list, i), &r->w->events[i]))
            return REFUSE(r, "entry %zu of \"%s\" must be an event number from 1 to %zu", i + 1,
                          key, r->t->n_events);
    return HD_OK;
}

static enum hd_status read_property(const struct reading *r, const json_t *root)
{
    const json_t *property = json_object_get(root, "property");
    const char *name = property ? json_string_value(property) : hd_property_names[0];
    int i = 0;
    while (name && i < HD_PROPERTIES && strcmp(name, hd_property_names[i]))
        i++;
    if (!name || i == HD_PROPERTIES)
        return REFUSE(r, "\"property\" must be race, atomicity, deadlock or failure");
    r->w->property = (enum hd_property)i;
    return i == HD_PROPERTY_RACE ? read_pair(r, root) : read_events(r, root, events_key[i]);
}

/* One entry of "list": a thread's name and a number of events. */
static enum hd_status read_run(const struct reading *r, struct hd_runs *runs, const json_t *run,
                               size_t number, size_t *at)
{
    const json_t *name = json_array_get(run, 0), *count = json_array_get(run, 1);
    hd_tid thread;
    if (json_array_size(run) != 2 || !json_is_string(name) || !json_is_integer(count) ||
        json_integer_value(count) < 1)
        return REFUSE(r, "run %zu must be the name of a thread and a number of events", number);
    if (!hd_names_find(&r->t->threads, json_string_value(name), json_string_length(name), &thread))
        return REFUSE(r, "run %zu: there is no thread %.60s", number, json_string_value(name));
    size_t n = (size_t)json_integer_value(count);
    if (n > r->w->n - *at || !hd_runs_take(runs, thread, n, r->w->schedule + *at))
        return REFUSE(r, "run %zu: thread %.60s has not so many events left", number,
                      json_string_value(name));
    *at += n;
    return HD_OK;
}

static enum hd_status read_runs(const struct reading *r, const json_t *object)
{
    const json_t *form = json_object_get(object, "form"), *list = json_object_get(object, "list");
    json_int_t entries = json_integer_value(json_object_get(object, "entries"));
    struct hd_runs runs;
    enum hd_status status = HD_OK;
    size_t at = 0;
    if (json_integer_value(form) != HD_RUNS_FORM)
        return REFUSE(r, "the schedule is in a form of \"runs\" that this version does not know");
    if (!json_is_array(list) || entries < 0 || (uint64_t)entries > r->t->n_events)
        return REFUSE(r, "\"runs\" must have a \"list\" and at most %zu \"entries\"",
                      r->t->n_events);
    r->w->n = (size_t)entries;
    r->w->schedule = hd_alloc(r->w->n * sizeof *r->w->schedule);
    hd_runs_init(&runs, r->t);
    for (size_t i = 0; i < json_array_size(list) && status == HD_OK; i++)
        status = read_run(r, &runs, json_array_get(list, i), i + 1, &at);
    hd_runs_fini(&runs);
    if (status == HD_OK && at != r->w->n)
        status = REFUSE(r, "\"runs\" has %zu events, not %zu", at, r->w->n);
    return status;
}

static enum hd_status read_schedule(const struct reading *r, const json_t *root)
{
    const json_t *schedule = json_object_get(root, "schedule");
    const json_t *runs = json_object_get(root, "runs");
    if (runs && schedule)
        return REFUSE(r, "\"schedule\" and \"runs\" say the same: only one of them may stand");
    if (runs)
        return read_runs(r, runs);
    if (!json_is_array(schedule))
        return REFUSE(r, "\"schedule\" must be an array of event numbers");
    r->w->n = json_array_size(schedule);
    r->w->schedule = hd_alloc(r->w->n * sizeof *r->w->schedule);
    for (size_t i = 0; i < r->w->n; i++)
        if (!event_number(r, json_array_get(schedule, i), &r->w->schedule[i]))
            return REFUSE(r, "entry %zu of \"schedule\" must be an event number from 1 to %zu",
                          i + 1, r->t->n_events);
    return HD_OK;
}

/* A key of wakes: decimal digits without sign or leading zero, naming a sig. */
static bool sig_number(const struct hd_trace *t, const char *key, hd_eid *sig)
{
    size_t len = strlen(key);
    if (len == 0 || len > 10 || strspn(key, "0123456789") != len || key[0] == '0')
        return false;
    uint64_t number = strtoull(key, NULL, 10);
    if (number > t->n_events)
        return false;
    *sig = (hd_eid)(number - 1);
    return t->op[*sig] == HD_OP_SIG;
}

static enum hd_status read_wakes(const struct reading *r, json_t *root)
{
    json_t *wakes = json_object_get(root, "wakes");
    if (!wakes)
        return HD_OK;
    if (!json_is_object(wakes))
        return REFUSE(r, "\"wakes\" must map sig events to thread names");
    r->w->n_wakes = json_object_size(wakes);
    r->w->wakes = hd_alloc(r->w->n_wakes * sizeof *r->w->wakes);
    size_t i = 0;
    const char *key;
    json_t *value;
    json_object_foreach(wakes, key, value)
    {
        struct hd_wake *wake = &r->w->wakes[i++];
        const char *thread = json_string_value(value);
        if (!sig_number(r->t, key, &wake->sig))
            return REFUSE(r, "\"%.20s\" in \"wakes\" is not the number of a sig event", key);
        if (!thread ||
            !hd_names_find(&r->t->threads, thread, json_string_length(value), &wake->thread))
            return REFUSE(r, "event %s in \"wakes\" must name a thread of the trace, not %.60s",
                          key, thread ? thread : "something else than a string");
    }
    return HD_OK;
}

static enum hd_status read_prefix(const struct reading *r, const json_t *root)
{
    const json_t *prefix = json_object_get(root, "prefix");
    json_int_t number = json_integer_value(prefix);
    if (!prefix)
        return HD_OK;
    if (json_object_get(root, "runs"))
        return REFUSE(r, "\"prefix\" goes with \"schedule\", not with \"runs\"");
    if (!json_is_integer(prefix) || number < 0 || (uint64_t)number > r->t->n_events)
        return REFUSE(r, "\"prefix\" must be a number of events, at most %zu", r->t->n_events);
    r->w->prefix = (size_t)number;
    hd_witness_expand(r->w, r->t, NULL);
    return HD_OK;
}

static enum hd_status read_root(const struct reading *r, json_t *root)
{
    if (!json_is_object(root))
        return REFUSE(r, "not a witness: not a JSON object");
    enum hd_status status = read_head(r, root);
    if (status == HD_OK)
        status = read_property(r, root);
    if (status == HD_OK)
        status = read_schedule(r, root);
    if (status == HD_OK)
        status = read_wakes(r, root);
    if (status == HD_OK)
        status = read_prefix(r, root);
    if (status != HD_OK)
        hd_witness_fini(r->w);
    return status;
}

/* Takes over root, which is NULL when it was no JSON. */
static enum hd_status finish(const struct reading *r, json_t *root, const json_error_t *error)
{
    *r->w = (struct hd_witness){0};
    if (!root)
        return hd_err_at(r->err, HD_ERR_INPUT, r->name, error->line > 0 ? (uint64_t)error->line : 0,
                         "not JSON: %s", error->text);
    enum hd_status status = read_root(r, root);
    json_decref(root);
    return status;
}

enum hd_status hd_witness_json_load(const char *path, const struct hd_trace *t,
                                    struct hd_witness *w, struct hd_err *err)
{
    bool standard = !strcmp(path, "-");
    struct reading r = {standard ? "<stdin>" : path, t, w, err};
    FILE *file = standard ? stdin : fopen(path, "rb");
    *w = (struct hd_witness){0};
    if (!file)
        return hd_err_at(err, HD_ERR_IO, r.name, 0, "cannot open: %s", strerror(errno));
    json_error_t error;
    errno = 0;
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    int failed = ferror(file) ? errno : 0;
    if (!standard)
        fclose(file);
    if (failed) {
        json_decref(root);
        return hd_err_at(err, HD_ERR_IO, r.name, 0, "cannot read: %s", strerror(failed));
    }
    return finish(&r, root, &error);
}

enum hd_status hd_witness_json_trace(const char *path, char *out, size_t size, struct hd_err *err)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    const char *trace = json_string_value(json_object_get(root, "trace"));
    const char *slash = strrchr(path, '/');
    size_t dir = slash && trace && trace[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    enum hd_status status = HD_OK;
    int n = trace ? snprintf(out, size, "%.*s%s", (int)dir, path, trace) : 0;
    if (!root)
        status = hd_err_at(err, HD_ERR_INPUT, path, error.line > 0 ? (uint64_t)error.line : 0,
                           "not JSON: %s", error.text);
    else if (!trace || n < 0 || (size_t)n >= size)
        status = hd_err_at(err, HD_ERR_INPUT, path, 0,
                           "the witness does not name the file of its trace: give --trace FILE");
    json_decref(root);
    return status;
}

enum hd_status hd_witness_json_parse(const char *text, size_t len, const char *name,
                                     const struct hd_trace *t, struct hd_witness *w,
                                     struct hd_err *err)
{
    struct reading r = {name, t, w, err};
    json_error_t error;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    return finish(&r, root, &error);
}

static int by_sig(const void *a, const void *b)
{
    hd_eid x = ((const struct hd_wake *)a)->sig, y = ((const struct hd_wake *)b)->sig;
    return x < y ? -1 : x > y;
}

static void write_wakes(struct hd_json *j, const struct hd_trace *t, const struct hd_witness *w)
{
    size_t bytes = w->n_wakes * sizeof *w->wakes;
    struct hd_wake *sorted = hd_alloc(bytes);
    if (w->n_wakes) {
        memcpy(sorted, w->wakes, bytes);
        qsort(sorted, w->n_wakes, sizeof *sorted, by_sig);
    }
    hd_json_begin_object(j);
    for (size_t i = 0; i < w->n_wakes; i++) {
        char key[24];
        snprintf(key, sizeof key, "%" PRIu64, (uint64_t)sorted[i].sig + 1);
        hd_json_key(j, key);
        hd_json_string(j, hd_trace_thread_name(t, sorted[i].thread));
    }
    hd_json_end_object(j);
    hd_free(sorted, bytes);
}

static void write_schedule(struct hd_json *j, const struct hd_trace *t, const struct hd_witness *w)
{
    if (!w->prefix && hd_runs_suit(t, w->schedule, w->n)) {
        hd_json_key(j, "runs");
        hd_runs_write(j, t, w->schedule, w->n);
        return;
    }
    hd_json_key(j, "schedule");
    hd_json_begin_array(j);
    for (size_t i = 0; i < w->n; i++)
        hd_json_uint(j, (uint64_t)w->schedule[i] + 1);
    hd_json_end_array(j);
}

void hd_witness_json_write_fields(struct hd_json *j, const struct hd_trace *t,
                                  const struct hd_witness *w)
{
    const hd_eid pair[] = {w->a, w->b};
    bool race = w->property == HD_PROPERTY_RACE;
    hd_json_key(j, "property");
    hd_json_string(j, hd_property_names[w->property]);
    hd_json_key(j, events_key[w->property]);
    hd_json_begin_array(j);
    for (size_t i = 0; i < (race ? 2 : w->n_events); i++)
        hd_json_uint(j, (uint64_t)(race ? pair : w->events)[i] + 1);
    hd_json_end_array(j);
    if (race && w->unordered) {
        hd_json_key(j, "form");
        hd_json_string(j, hd_race_forms[1]);
    }
    if (w->prefix) {
        hd_json_key(j, "prefix");
        hd_json_uint(j, w->prefix);
    }
    write_schedule(j, t, w);
    hd_json_key(j, "wakes");
    write_wakes(j, t, w);
}

void hd_witness_json_write(FILE *out, const struct hd_trace *t, const struct hd_witness *w)
{
    hd_witness_json_write_named(out, t, w, NULL, NULL);
}

void hd_witness_json_write_named(FILE *out, const struct hd_trace *t, const struct hd_witness *w,
                                 const char *trace, const char *digest)
{
    struct hd_json j;
    char made[HD_DIGEST_SIZE];
    if (!digest)
        hd_digest_trace(t, made);
    hd_json_init(&j, out);
    hd_json_begin_object(&j);
    hd_json_key(&j, "schema");
    hd_json_string(&j, SCHEMA);
    hd_json_key(&j, "digest");
    hd_json_string(&j, digest ? digest : made);
    if (trace) {
        hd_json_key(&j, "trace");
        hd_json_string(&j, trace);
    }
    hd_witness_json_write_fields(&j, t, w);
    hd_json_end_object(&j);
    fputc('\n', out);
}
