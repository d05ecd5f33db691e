#include "campaign/unitplan.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/log.h"
#include "base/names.h"
#include "base/outfile.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "heddle-plan-1"

void hd_unitplan_init(struct hd_unitplan *p)
{
    *p = (struct hd_unitplan){.arena = hd_arena_new(), .units = HD_VEC_INIT(struct hd_unit)};
    p->version = HD_VERSION;
}

void hd_unitplan_fini(struct hd_unitplan *p)
{
    hd_arena_free(p->arena);
    hd_vec_fini(&p->units);
    *p = (struct hd_unitplan){0};
}

/* ---- making ---- */

const char *hd_unitplan_text(struct hd_unitplan *p, const char *text)
{
    return text ? hd_arena_strndup(p->arena, text, strlen(text)) : NULL;
}

const char *hd_unitplan_format(struct hd_unitplan *p, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = hd_arena_alloc(p->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

void hd_unitplan_word(struct hd_unitplan *p, struct hd_texts *words, const char *word)
{
    /* Room is doubled at powers of two; what is left behind dies with the arena. */
    if ((words->n & (words->n - 1)) == 0) {
        const char **more =
            hd_arena_calloc(p->arena, words->n ? 2 * words->n : 1, sizeof *words->items);
        if (words->n)
            memcpy(more, words->items, words->n * sizeof *more);
        words->items = more;
    }
    words->items[words->n++] = hd_unitplan_text(p, word);
}

void hd_unitplan_words(struct hd_unitplan *p, struct hd_texts *words, const struct hd_texts *more)
{
    for (size_t i = 0; i < more->n; i++)
        hd_unitplan_word(p, words, more->items[i]);
}

static void take_variable(struct hd_unitplan *p, const char *name)
{
    const char *value = getenv(name);
    if (value)
        hd_unitplan_word(p, &p->environment, hd_unitplan_format(p, "%s=%s", name, value));
}

void hd_unitplan_environment(struct hd_unitplan *p, const char *const *more, size_t n)
{
    static const char *const usual[] = {"PATH",
                                        "HOME",
                                        "USER",
                                        "LOGNAME",
                                        "SHELL",
                                        "LANG",
                                        "LANGUAGE",
                                        "LC_ALL",
                                        "LC_CTYPE",
                                        "LC_COLLATE",
                                        "LC_MESSAGES",
                                        "LC_NUMERIC",
                                        "LC_TIME",
                                        "TZ",
                                        "TMPDIR",
                                        "LD_LIBRARY_PATH",
                                        "OMP_NUM_THREADS",
                                        "SOURCE_DATE_EPOCH"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        take_variable(p, usual[i]);
    for (size_t i = 0; i < n; i++)
        if (strchr(more[i], '='))
            hd_unitplan_word(p, &p->environment, more[i]);
        else
            take_variable(p, more[i]);
}

/* ---- writing ---- */

static void put_text(struct hd_json *j, const char *key, const char *text)
{
    hd_json_key(j, key);
    if (text)
        hd_json_string(j, text);
    else
        hd_json_null(j);
}

static void put_texts(struct hd_json *j, const char *key, const struct hd_texts *texts)
{
    hd_json_key(j, key);
    hd_json_begin_array(j);
    for (size_t i = 0; i < texts->n; i++)
        hd_json_string(j, texts->items[i]);
    hd_json_end_array(j);
}

/* What the test is, and what the unit does with it: the two halves of a line. */
static void put_test(struct hd_json *j, const struct hd_unit *u)
{
    put_text(j, "test", u->test);
    put_texts(j, "program", &u->program);
    put_texts(j, "environment", &u->environment);
    put_text(j, "folder", u->folder);
    put_text(j, "file", u->file);
    put_text(j, "build", u->build);
}

static void put_rest(struct hd_json *j, const struct hd_unit *u)
{
    put_text(j, "how", u->how);
    put_texts(j, "tool", &u->tool);
    put_text(j, "input", u->input);
}

static void put_both(struct hd_json *j, const struct hd_unit *u)
{
    put_test(j, u);
    put_rest(j, u);
}

static void put_unit(struct hd_json *j, const struct hd_unit *u)
{
    hd_json_begin_object(j);
    put_text(j, "unit", u->name);
    put_text(j, "part", u->part);
    put_both(j, u);
    hd_json_end_object(j);
}

/* The digest of a text that `put` writes for the unit, and of what all units have in common. */
static const char *digest(struct hd_unitplan *p, const struct hd_unit *u,
                          void (*put)(struct hd_json *j, const struct hd_unit *u))
{
    struct hd_content d;
    struct hd_json j;
    char *text = NULL, name[HD_CONTENT_SIZE];
    size_t len;
    FILE *memory = open_memstream(&text, &len);
    HD_ASSERT(memory);
    hd_json_init(&j, memory);
    hd_json_begin_object(&j);
    put_texts(&j, "all", &p->environment);
    put(&j, u);
    hd_json_end_object(&j);
    fclose(memory);
    hd_content_init(&d);
    hd_content_add(&d, p->version, strlen(p->version));
    hd_content_add(&d, text, len);
    hd_content_text(&d, name);
    free(text);
    return hd_unitplan_text(p, name);
}

void hd_unitplan_add(struct hd_unitplan *p, struct hd_unit *u)
{
    u->part = digest(p, u, put_test);
    u->name = digest(p, u, put_both);
    *(struct hd_unit *)hd_vec_push(&p->units) = *u;
}

/* Equal units (a test that is listed twice) are one. The first stays. */
static void drop_equal(struct hd_unitplan *p)
{
    struct hd_names names = {0};
    struct hd_unit *all = p->units.data;
    size_t kept = 0;
    for (size_t i = 0; i < p->units.len; i++) {
        size_t before = names.count;
        hd_names_add(&names, all[i].name, strlen(all[i].name));
        if (names.count > before)
            all[kept++] = all[i];
    }
    p->units.len = kept;
    hd_names_fini(&names);
}

static void put_line(FILE *out, struct hd_content *d, const char *text, size_t len)
{
    fwrite(text, 1, len, out);
    fputc('\n', out);
    hd_content_add(d, text, len);
    hd_content_add(d, "\n", 1);
}

static void put_head(struct hd_json *j, const struct hd_unitplan *p)
{
    hd_json_begin_object(j);
    put_text(j, "schema", SCHEMA);
    put_text(j, "version", p->version);
    hd_json_key(j, "units");
    hd_json_uint(j, p->units.len);
    put_texts(j, "environment", &p->environment);
    hd_json_end_object(j);
}

/* Line by line, so that a large plan is in memory once only. */
static void put_lines(FILE *out, struct hd_unitplan *p)
{
    struct hd_content d;
    hd_content_init(&d);
    for (size_t i = 0; i <= p->units.len; i++) {
        struct hd_json j;
        char *text = NULL;
        size_t len;
        FILE *memory = open_memstream(&text, &len);
        HD_ASSERT(memory);
        hd_json_init(&j, memory);
        if (i)
            put_unit(&j, hd_unitplan_unit(p, i - 1));
        else
            put_head(&j, p);
        fclose(memory);
        put_line(out, &d, text, len);
        free(text);
    }
    hd_content_text(&d, p->digest);
    fprintf(out, "{\"plan\": \"%s\"}\n", p->digest);
}

enum hd_status hd_unitplan_save(struct hd_unitplan *p, const char *dir, struct hd_err *err)
{
    char path[PATH_MAX];
    struct hd_outfile out;
    drop_equal(p);
    snprintf(path, sizeof path, "%s/" HD_PLAN_FILE, dir);
    enum hd_status s = hd_outfile_open(path, &out, err);
    if (s != HD_OK)
        return s;
    put_lines(out.file, p);
    return hd_outfile_commit(&out, err);
}

/* ---- reading ---- */

struct reading {
    struct hd_unitplan *p;
    const char *path;
    uint64_t line, units;
    struct hd_content digest;
    bool ended;
    struct hd_err *err;
};

static enum hd_status refuse(const struct reading *g, const char *why)
{
    return hd_err_at(g->err, HD_ERR_INPUT, g->path, g->line, "%s", why);
}

static const char *get_text(const struct reading *g, const json_t *from, const char *key)
{
    return hd_unitplan_text(g->p, json_string_value(json_object_get(from, key)));
}

static void get_texts(const struct reading *g, const json_t *from, const char *key,
                      struct hd_texts *texts)
{
    const json_t *list = json_object_get(from, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        hd_unitplan_word(g->p, texts, text ? text : "");
    }
}

static enum hd_status read_head(struct reading *g, const json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, SCHEMA) != 0)
        return refuse(g, "this is not the plan of a campaign");
    g->p->version = get_text(g, root, "version");
    if (!g->p->version || strcmp(g->p->version, HD_VERSION) != 0)
        return hd_err_at(g->err, HD_ERR_INPUT, g->path, g->line,
                         "the plan is of heddle %s, this is " HD_VERSION,
                         g->p->version ? g->p->version : "?");
    g->units = (uint64_t)json_integer_value(json_object_get(root, "units"));
    get_texts(g, root, "environment", &g->p->environment);
    return HD_OK;
}

static enum hd_status read_unit(struct reading *g, const json_t *root)
{
    struct hd_unit u = {.name = get_text(g, root, "unit"),
                        .part = get_text(g, root, "part"),
                        .test = get_text(g, root, "test"),
                        .how = get_text(g, root, "how"),
                        .folder = get_text(g, root, "folder"),
                        .input = get_text(g, root, "input"),
                        .file = get_text(g, root, "file"),
                        .build = get_text(g, root, "build")};
    get_texts(g, root, "tool", &u.tool);
    get_texts(g, root, "program", &u.program);
    get_texts(g, root, "environment", &u.environment);
    bool whole = u.name && strlen(u.name) == HD_CONTENT_SIZE - 1 &&
                 strspn(u.name, "0123456789abcdef") == HD_CONTENT_SIZE - 1 && u.part && u.test &&
                 u.how && u.folder && u.tool.n;
    if (!whole)
        return refuse(g, "this is not a unit");
    *(struct hd_unit *)hd_vec_push(&g->p->units) = u;
    return HD_OK;
}

/* The last line: does it fit to all others? */
static enum hd_status read_end(struct reading *g, const json_t *root)
{
    const char *said = json_string_value(json_object_get(root, "plan"));
    hd_content_text(&g->digest, g->p->digest);
    g->ended = true;
    if (strcmp(said, g->p->digest) != 0 || g->units != g->p->units.len)
        return hd_err_at(g->err, HD_ERR_INPUT, g->path, 0,
                         "the plan was changed after it was made; make a new campaign");
    return HD_OK;
}

static enum hd_status read_line(struct reading *g, const char *text, size_t len)
{
    json_error_t why;
    if (g->ended)
        return refuse(g, "lines follow the end of the plan");
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
    enum hd_status s;
    if (!root)
        s = refuse(g, "this is not a line of a plan");
    else if (g->line == 1)
        s = read_head(g, root);
    else if (json_is_string(json_object_get(root, "plan")))
        s = read_end(g, root);
    else
        s = read_unit(g, root);
    json_decref(root);
    hd_content_add(&g->digest, text, len);
    return s;
}

enum hd_status hd_unitplan_load(struct hd_unitplan *p, const char *dir, struct hd_err *err)
{
    char path[PATH_MAX], *text = NULL;
    size_t room = 0;
    ssize_t len;
    enum hd_status s = HD_OK;
    hd_unitplan_init(p);
    snprintf(path, sizeof path, "%s/" HD_PLAN_FILE, dir);
    struct reading g = {.p = p, .path = path, .err = err};
    hd_content_init(&g.digest);
    FILE *in = fopen(path, "re");
    if (!in)
        return hd_err_at(err, HD_ERR_INPUT, dir, 0, "there is no campaign here: %s: %s",
                         HD_PLAN_FILE, strerror(errno));
    while (s == HD_OK && (len = getline(&text, &room, in)) > 0) {
        g.line++;
        s = read_line(&g, text, (size_t)len);
    }
    if (s == HD_OK && !g.ended)
        s = hd_err_at(err, HD_ERR_INPUT, path, 0,
                      "the plan was changed after it was made: its end is missing");
    HD_DEBUG_LINE(CAMPAIGN, "%s: %zu units", path, p->units.len);
    free(text);
    fclose(in);
    return s;
}
