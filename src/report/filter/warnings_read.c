#include "report/filter/warnings_read.h"

#include "base/bytes.h"
#include "base/log.h"
#include "base/printable.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* ---- places ---- */

/* Cuts ":digits" off the end of the text; 0: there is none. */
static uint32_t cut_number(const char *text, size_t *len)
{
    size_t i = *len;
    uint64_t n = 0, unit = 1;
    while (i > 0 && isdigit((unsigned char)text[i - 1]) && unit <= 1000000000) {
        n += unit * (uint64_t)(text[--i] - '0');
        unit *= 10;
    }
    if (i == *len || i < 2 || text[i - 1] != ':' || n > UINT32_MAX)
        return 0;
    *len = i - 1;
    return (uint32_t)n;
}

/* Fit to be shown, like the names in traces. */
static const char *file_name(struct hd_arena *a, const char *text, size_t len)
{
    char *name = hd_arena_strndup(a, text, len);
    hd_printable_make(name);
    return name;
}

bool hd_code_place_parse(struct hd_arena *a, const char *text, size_t len,
                         struct hd_code_place *out)
{
    uint32_t last = cut_number(text, &len);
    size_t before = len;
    uint32_t line = last ? cut_number(text, &before) : 0;
    if (line)
        len = before; /* the last number was a column */
    if (!last)
        return false;
    *out = (struct hd_code_place){file_name(a, text, len), line ? line : last};
    return true;
}

bool hd_code_place_same(const struct hd_code_place *a, const struct hd_code_place *b)
{
    if (!a->file || !b->file || a->line != b->line)
        return false;
    size_t n = strlen(a->file), m = strlen(b->file);
    const char *longer = n > m ? a->file : b->file, *shorter = n > m ? b->file : a->file;
    size_t more = n > m ? n - m : m - n;
    return !strcmp(longer + more, shorter) && (!more || longer[more - 1] == '/');
}

bool hd_warned_pair_is(const struct hd_warned_pair *p, const struct hd_code_place *a,
                       const struct hd_code_place *b)
{
    return (hd_code_place_same(&p->at[0], a) && hd_code_place_same(&p->at[1], b)) ||
           (hd_code_place_same(&p->at[0], b) && hd_code_place_same(&p->at[1], a));
}

/* ---- the list ---- */

static void add(struct hd_warned_pairs *out, const struct hd_warned_pair *p)
{
    for (size_t i = 0; i < out->list.len; i++)
        if (hd_warned_pair_is(hd_vec_at(&out->list, i), &p->at[0], &p->at[1]))
            return;
    *(struct hd_warned_pair *)hd_vec_push(&out->list) = *p;
}

void hd_warned_pairs_fini(struct hd_warned_pairs *p)
{
    hd_vec_fini(&p->list);
    hd_arena_free(p->arena);
    *p = (struct hd_warned_pairs){0};
}

/* ---- text of other detectors ---- */

struct text {
    struct hd_warned_pairs *out;
    struct hd_warned_pair now;
    unsigned n;     /* places of the warning so far */
    bool in, wants; /* inside a warning; its next frame with a line is a place */
};

static void end_warning(struct text *t)
{
    if (t->in)
        add(t->out, &t->now);
    *t = (struct text){.out = t->out};
}

static void begin_warning(struct text *t)
{
    end_warning(t);
    t->in = true;
}

/* The last word of a frame that is a place: "#0 f(int) a.cpp:12:5 (prog+0x1)", "f (a.c:12)". */
static bool place_in(struct hd_arena *a, const char *line, struct hd_code_place *out)
{
    bool found = false;
    while (*line) {
        line += strspn(line, " \t()");
        size_t n = strcspn(line, " \t()");
        found = (n && hd_code_place_parse(a, line, n, out)) || found;
        line += n;
    }
    return found;
}

static void take_frame(struct text *t, const char *line)
{
    if (t->in && t->wants && t->n < 2 && place_in(t->out->arena, line, &t->now.at[t->n])) {
        t->n++;
        t->wants = false;
    }
}

static bool starts(const char *text, const char *with)
{
    return !strncasecmp(text, with, strlen(with));
}

/* The heading of one of the two stacks: "Previous atomic write of size 4 at 0x... by thread T1:" */
static bool is_tsan_access(const char *line)
{
    static const char *const words[] = {"previous ", "atomic "};
    for (size_t i = 0; i < 2; i++)
        if (starts(line, words[i]))
            line += strlen(words[i]);
    return (starts(line, "read of size") || starts(line, "write of size"));
}

static void tsan_line(struct text *t, const char *line)
{
    if (strstr(line, "WARNING: ThreadSanitizer:")) {
        end_warning(t);
        if (strstr(line, "data race"))
            begin_warning(t);
        return;
    }
    line += strspn(line, " \t");
    if (starts(line, "SUMMARY:"))
        end_warning(t);
    else if (*line == '#')
        take_frame(t, line);
    else
        t->wants = t->in && is_tsan_access(line);
}

static void helgrind_line(struct text *t, const char *line)
{
    const char *end = strstr(line, "== ");
    line = end ? end + 3 : line;
    line += strspn(line, " \t");
    if (starts(line, "possible data race"))
        begin_warning(t);
    if (starts(line, "possible data race") || starts(line, "this conflicts with"))
        t->wants = true;
    else if (starts(line, "at 0x") || starts(line, "by 0x"))
        take_frame(t, line);
}

static void each_line(char *data, void (*take)(struct text *, const char *),
                      struct hd_warned_pairs *out)
{
    struct text t = {.out = out};
    for (char *line = strsep(&data, "\n"); line; line = strsep(&data, "\n"))
        take(&t, line);
    end_warning(&t);
}

/* ---- our own lines ---- */

static enum hd_status plain(char *data, const char *name, struct hd_warned_pairs *out,
                            struct hd_err *err)
{
    uint64_t number = 0;
    for (char *line = strsep(&data, "\n"); line; line = strsep(&data, "\n")) {
        struct hd_warned_pair p;
        size_t n = 0;
        char *rest = line;
        number++;
        for (char *word = strsep(&rest, " \t\r"); word && *word != '#';
             word = strsep(&rest, " \t\r"))
            if (*word &&
                (n == 2 || !hd_code_place_parse(out->arena, word, strlen(word), &p.at[n++])))
                return hd_err_at(err, HD_ERR_INPUT, name, number,
                                 "'%s' does not belong here: a line is 'file:line file:line'",
                                 word);
        if (n == 1)
            return hd_err_at(err, HD_ERR_INPUT, name, number,
                             "one place is missing: a line is 'file:line file:line'");
        if (n == 2)
            add(out, &p);
    }
    return HD_OK;
}

/* ---- SARIF ---- */

/* The second access, as Heddle's own SARIF names it: it may be at the place of the first. */
static bool is_other_access(const json_t *location)
{
    static const char words[] = "the other access";
    const char *text =
        json_string_value(json_object_get(json_object_get(location, "message"), "text"));
    return text && !strncmp(text, words, sizeof words - 1);
}

static void take_location(struct hd_arena *a, const json_t *location, struct hd_warned_pair *p,
                          unsigned *n)
{
    const json_t *at = json_object_get(location, "physicalLocation");
    const char *uri =
        json_string_value(json_object_get(json_object_get(at, "artifactLocation"), "uri"));
    json_int_t line =
        json_integer_value(json_object_get(json_object_get(at, "region"), "startLine"));
    if (!uri || line <= 0 || line > UINT32_MAX || *n == 2)
        return;
    struct hd_code_place place = {uri, (uint32_t)line};
    if (*n == 1 && hd_code_place_same(&p->at[0], &place) && !is_other_access(location))
        return; /* told again, in another part of the result */
    place.file = file_name(a, uri, strlen(uri));
    p->at[(*n)++] = place;
}

static void take_list(struct hd_arena *a, const json_t *list, struct hd_warned_pair *p, unsigned *n)
{
    size_t i;
    const json_t *location;
    json_array_foreach(list, i, location) take_location(a, location, p, n);
}

static enum hd_status sarif(const struct hd_bytes *data, const char *name,
                            struct hd_warned_pairs *out, struct hd_err *err)
{
    json_error_t why;
    size_t i, k;
    json_t *run, *result, *file = json_loadb((const char *)data->data, data->len, 0, &why);
    if (!file)
        return hd_err_at(err, HD_ERR_INPUT, name, why.line > 0 ? (uint64_t)why.line : 0,
                         "not SARIF: %s", why.text);
    json_array_foreach(json_object_get(file, "runs"), i, run)
        json_array_foreach(json_object_get(run, "results"), k, result)
    {
        struct hd_warned_pair p = {0};
        unsigned n = 0;
        take_list(out->arena, json_object_get(result, "locations"), &p, &n);
        take_list(out->arena, json_object_get(result, "relatedLocations"), &p, &n);
        if (n == 1) /* a place that races with itself */
            p.at[n++] = p.at[0];
        if (n)
            add(out, &p);
    }
    json_decref(file);
    return HD_OK;
}

/* ---- all ---- */

static enum hd_status load(const char *path, struct hd_bytes *data, struct hd_err *err)
{
    enum { PART = 65536 };
    bool standard = !strcmp(path, "-");
    FILE *f = standard ? stdin : fopen(path, "re");
    if (!f)
        return hd_err_at(err, HD_ERR_IO, path, 0, "cannot open: %s", strerror(errno));
    size_t n;
    while ((n = fread(hd_bytes_room(data, PART), 1, PART, f)) > 0)
        data->len += n;
    int failed = ferror(f);
    if (!standard)
        fclose(f);
    *hd_bytes_room(data, 1) = 0;
    return failed ? hd_err_at(err, HD_ERR_IO, path, 0, "cannot read: %s", strerror(EIO)) : HD_OK;
}

enum hd_status hd_warnings_read(const char *path, struct hd_warned_pairs *out, struct hd_err *err)
{
    struct hd_bytes data = {0};
    *out = (struct hd_warned_pairs){HD_VEC_INIT(struct hd_warned_pair), hd_arena_new()};
    enum hd_status s = load(path, &data, err);
    char *text = (char *)data.data;
    if (s == HD_OK && text[strspn(text, " \t\r\n")] == '{')
        s = sarif(&data, path, out, err);
    else if (s == HD_OK && strstr(text, "WARNING: ThreadSanitizer:"))
        each_line(text, tsan_line, out);
    else if (s == HD_OK && strstr(text, "== drd, a thread error detector"))
        s = hd_err_at(err, HD_ERR_INPUT, path, 0,
                      "the text of DRD names one place of each conflict, and two are wanted: take "
                      "valgrind --tool=helgrind");
    else if (s == HD_OK && (strstr(text, "Possible data race during") ||
                            strstr(text, "== Helgrind, a thread error detector")))
        each_line(text, helgrind_line, out);
    else if (s == HD_OK)
        s = plain(text, path, out, err);
    hd_bytes_fini(&data);
    HD_DEBUG_LINE(REPORT, "%s: %zu pairs of places", path, out->list.len);
    if (s == HD_OK && !out->list.len)
        s = hd_err_at(
            err, HD_ERR_INPUT, path, 0,
            "no warning of a data race is in it: wanted is the text of ThreadSanitizer or "
            "Helgrind, SARIF, or lines 'file:line file:line'");
    return s;
}
