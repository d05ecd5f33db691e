#include "explore/search_state.h"

#include "base/json.h"
#include "base/outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA "heddle-explore-1"

void hd_search_state_init(struct hd_search_state *s)
{
    *s = (struct hd_search_state){0};
    hd_behaviours_init(&s->sample.seen);
}

void hd_search_state_fini(struct hd_search_state *s)
{
    hd_names_fini(&s->strategy);
    hd_names_fini(&s->program);
    hd_u32vec_fini(&s->words);
    hd_names_fini(&s->settled);
    hd_behaviours_fini(&s->sample.seen);
}

static void add_word(struct hd_search_state *s, const char *word)
{
    hd_u32vec_push(&s->words, hd_names_add(&s->program, word, strlen(word)));
}

void hd_search_state_program(struct hd_search_state *s, const char *strategy, char **argv)
{
    hd_names_add(&s->strategy, strategy, strlen(strategy));
    for (; *argv; argv++)
        add_word(s, *argv);
}

/* ---- writing ---- */

static void number(struct hd_json *j, const char *key, uint64_t value)
{
    hd_json_key(j, key);
    hd_json_uint(j, value);
}

static void write_lists(struct hd_json *j, const struct hd_search_state *s)
{
    hd_json_key(j, "program");
    hd_json_begin_array(j);
    for (size_t i = 0; i < s->words.len; i++)
        hd_json_string(j, hd_names_text(&s->program, s->words.data[i]));
    hd_json_end_array(j);
    hd_json_key(j, "seen");
    hd_json_begin_array(j);
    for (size_t i = 0; i < s->sample.seen.list.len; i++) {
        char text[24];
        snprintf(text, sizeof text, "%016" PRIx64,
                 *(const uint64_t *)hd_vec_at(&s->sample.seen.list, i));
        hd_json_string(j, text);
    }
    hd_json_end_array(j);
    hd_json_key(j, "settled");
    hd_json_begin_array(j);
    for (uint32_t i = 0; i < s->settled.count; i++)
        hd_json_string(j, hd_names_text(&s->settled, i));
    hd_json_end_array(j);
}

enum hd_status hd_search_state_save(const struct hd_search_state *s, const char *path,
                                    struct hd_err *err)
{
    struct hd_outfile out;
    struct hd_json j;
    enum hd_status status = hd_outfile_open(path, &out, err);
    if (status != HD_OK)
        return status;
    hd_json_init(&j, out.file);
    hd_json_begin_object(&j);
    hd_json_key(&j, "schema");
    hd_json_string(&j, SCHEMA);
    hd_json_key(&j, "strategy");
    hd_json_string(&j, s->strategy.count ? hd_names_text(&s->strategy, 0) : "");
    number(&j, "seed", s->seed);
    number(&j, "executions", s->executions);
    number(&j, "dpor_executions", s->dpor_executions);
    number(&j, "sampled", s->sampled);
    number(&j, "part", s->part);
    number(&j, "milliseconds", s->milliseconds);
    number(&j, "peak_kilobytes", s->peak_kilobytes);
    hd_json_key(&j, "complete");
    hd_json_bool(&j, s->complete);
    number(&j, "done", s->sample.done);
    number(&j, "length", s->sample.length);
    write_lists(&j, s);
    hd_json_end_object(&j);
    fputc('\n', out.file);
    return hd_outfile_commit(&out, err);
}

/* ---- reading ---- */

static bool read_number(const json_t *root, const char *key, uint64_t *value)
{
    const json_t *v = json_object_get(root, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0)
        return false;
    *value = (uint64_t)json_integer_value(v);
    return true;
}

/* Fields that the first files did not have. */
static bool read_later(const json_t *root, const char *key, uint64_t *value)
{
    return !json_object_get(root, key) || read_number(root, key, value);
}

/* Calls take for each text of a list. */
static bool read_list(struct hd_search_state *s, const json_t *root, const char *key,
                      bool (*take)(struct hd_search_state *s, const char *text))
{
    const json_t *list = json_object_get(root, key);
    bool ok = json_is_array(list);
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        ok = text && take(s, text);
    }
    return ok;
}

static bool take_word(struct hd_search_state *s, const char *text)
{
    add_word(s, text);
    return true;
}

static bool take_seen(struct hd_search_state *s, const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 16);
    if (end == text || *end)
        return false;
    hd_behaviours_add(&s->sample.seen, value);
    return true;
}

static bool take_settled(struct hd_search_state *s, const char *text)
{
    hd_names_add(&s->settled, text, strlen(text));
    return true;
}

static bool read_all(struct hd_search_state *s, const json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const char *strategy = json_string_value(json_object_get(root, "strategy"));
    const json_t *complete = json_object_get(root, "complete");
    if (!schema || strcmp(schema, SCHEMA) != 0 || !strategy || !json_is_boolean(complete))
        return false;
    hd_names_add(&s->strategy, strategy, strlen(strategy));
    s->complete = json_is_true(complete);
    return read_number(root, "seed", &s->seed) && read_number(root, "executions", &s->executions) &&
           read_later(root, "dpor_executions", &s->dpor_executions) &&
           read_later(root, "sampled", &s->sampled) && read_later(root, "part", &s->part) &&
           s->part <= HD_PART_PCT && read_number(root, "milliseconds", &s->milliseconds) &&
           read_number(root, "peak_kilobytes", &s->peak_kilobytes) &&
           read_number(root, "done", &s->sample.done) &&
           read_number(root, "length", &s->sample.length) &&
           read_list(s, root, "program", take_word) && s->words.len > 0 &&
           read_list(s, root, "seen", take_seen) && read_list(s, root, "settled", take_settled);
}

enum hd_status hd_search_state_load(struct hd_search_state *s, const char *path, struct hd_err *err)
{
    json_error_t why;
    hd_search_state_init(s);
    if (access(path, R_OK) != 0)
        return hd_err_set(err, HD_ERR_IO, "there is no search to go on with: %s: %s", path,
                          strerror(errno));
    json_t *root = json_load_file(path, 0, &why);
    bool ok = root && read_all(s, root);
    json_decref(root);
    return ok ? HD_OK : hd_err_at(err, HD_ERR_INPUT, path, 0, "this is not the state of a search");
}
