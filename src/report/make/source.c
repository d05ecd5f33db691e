#include "report/make/source.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILE (64u << 20) /* larger files are not source */

struct source {
    const char *name;
    const char *missing; /* why there is no text */
    char *text;          /* NUL in place of each line end */
    size_t len;
    struct hd_vec lines; /* size_t: offsets in text */
};

struct hd_sources {
    struct hd_arena *arena;
    struct hd_vec files;   /* struct source */
    struct hd_vec folders; /* const char * */
};

struct hd_sources *hd_sources_new(void)
{
    struct hd_sources *s = hd_calloc(1, sizeof *s);
    s->arena = hd_arena_new();
    s->files = HD_VEC_INIT(struct source);
    s->folders = HD_VEC_INIT(const char *);
    return s;
}

void hd_sources_free(struct hd_sources *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->files.len; i++) {
        struct source *f = hd_vec_at(&s->files, i);
        hd_free(f->text, f->text ? f->len + 1 : 0);
        hd_vec_fini(&f->lines);
    }
    hd_vec_fini(&s->files);
    hd_vec_fini(&s->folders);
    hd_arena_free(s->arena);
    hd_free(s, sizeof *s);
}

void hd_sources_folder(struct hd_sources *s, const char *path)
{
    *(const char **)hd_vec_push(&s->folders) = hd_arena_strndup(s->arena, path, strlen(path));
}

/* Opens a regular file of sensible size. */
static FILE *open_file(const char *path, size_t *len)
{
    struct stat st;
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    if (fstat(fileno(file), &st) || !S_ISREG(st.st_mode) || st.st_size > (off_t)MAX_FILE) {
        fclose(file);
        errno = EINVAL;
        return NULL;
    }
    *len = (size_t)st.st_size;
    return file;
}

static FILE *search(const struct hd_sources *s, const char *name, size_t *len)
{
    FILE *file = open_file(name, len);
    for (size_t i = 0; !file && *name != '/' && i < s->folders.len; i++) {
        char path[PATH_MAX];
        int n =
            snprintf(path, sizeof path, "%s/%s", *(const char **)hd_vec_at(&s->folders, i), name);
        if (n > 0 && (size_t)n < sizeof path)
            file = open_file(path, len);
    }
    return file;
}

static void cut_lines(struct source *f)
{
    size_t start = 0;
    for (size_t i = 0; i < f->len; i++) {
        if (f->text[i] == 0)
            f->text[i] = ' ';
        if (f->text[i] != '\n')
            continue;
        f->text[i] = 0;
        if (i > start && f->text[i - 1] == '\r')
            f->text[i - 1] = 0;
        *(size_t *)hd_vec_push(&f->lines) = start;
        start = i + 1;
    }
    if (start < f->len)
        *(size_t *)hd_vec_push(&f->lines) = start;
}

static void load(struct hd_sources *s, struct source *f)
{
    FILE *file = search(s, f->name, &f->len);
    if (!file) {
        f->missing = "the source file was not found";
        return;
    }
    f->text = hd_alloc(f->len + 1);
    size_t got = fread(f->text, 1, f->len, file);
    memset(f->text + got, 0, f->len + 1 - got); /* it may have shrunk meanwhile */
    fclose(file);
    cut_lines(f);
}

static struct source *find(struct hd_sources *s, const char *name)
{
    for (size_t i = 0; i < s->files.len; i++) {
        struct source *f = hd_vec_at(&s->files, i);
        if (!strcmp(f->name, name))
            return f;
    }
    struct source *f = hd_vec_push(&s->files);
    *f = (struct source){.name = hd_arena_strndup(s->arena, name, strlen(name))};
    f->lines = HD_VEC_INIT(size_t);
    load(s, f);
    return f;
}

static const char *line_at(const struct source *f, uint32_t line)
{
    if (line == 0 || line > f->lines.len)
        return NULL;
    return f->text + *(size_t *)hd_vec_at(&f->lines, line - 1);
}

const char *hd_sources_line(struct hd_sources *s, const char *file, uint32_t line)
{
    return file ? line_at(find(s, file), line) : NULL;
}

const char *hd_sources_squeezed(struct hd_sources *s, const char *file, uint32_t line)
{
    const char *text = hd_sources_line(s, file, line);
    if (!text)
        return NULL;
    char *out = hd_arena_strndup(s->arena, text, strlen(text)), *to = out;
    for (const char *p = text; *p; p++)
        if (!isspace((unsigned char)*p))
            *to++ = *p;
    *to = 0;
    return out;
}

static bool equal_but_spaces(const char *a, const char *b)
{
    for (;;) {
        while (isspace((unsigned char)*a))
            a++;
        while (isspace((unsigned char)*b))
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

uint32_t hd_sources_equal_above(struct hd_sources *s, const char *file, uint32_t line)
{
    const struct source *f = file ? find(s, file) : NULL;
    const char *text = f ? line_at(f, line) : NULL;
    uint32_t n = 0;
    for (uint32_t i = line; text && i > 1; i--) {
        const char *above = line_at(f, i - 1);
        if (*above == '}')
            break;
        n += equal_but_spaces(above, text);
    }
    return n;
}

void hd_sources_snippet(struct hd_sources *s, struct hd_report *r, const struct hd_spot *at,
                        struct hd_snippet *out)
{
    *out = (struct hd_snippet){0};
    if (!at->file || !at->line) {
        out->missing = "the place in the source is not known";
        return;
    }
    const struct source *f = find(s, at->file);
    if (!line_at(f, at->line)) {
        out->missing = f->missing ? f->missing : "the source file has fewer lines now";
        return;
    }
    uint32_t lines = (uint32_t)f->lines.len;
    uint32_t first = at->line > HD_SOURCE_AROUND ? at->line - HD_SOURCE_AROUND : 1;
    uint32_t last = lines - at->line > HD_SOURCE_AROUND ? at->line + HD_SOURCE_AROUND : lines;
    out->first = first;
    out->lines.n = last - first + 1;
    out->lines.items = hd_report_array(r, out->lines.n, sizeof *out->lines.items);
    for (uint32_t i = first; i <= last; i++)
        out->lines.items[i - first] = hd_report_text(r, line_at(f, i));
}
