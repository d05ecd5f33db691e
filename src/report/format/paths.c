#include "report/format/paths.h"

#include "report/data/shape.h"

#include <string.h>

enum { MAX_UPS = 3 };

struct hd_paths_change {
    const char **slot, *old;
};

struct walk {
    struct hd_report *r;
    const char *root;
    struct hd_paths *p;
};

/* ---- one name ---- */

/* What file has behind the folder root[0 .. len), or NULL. */
static const char *below(const char *root, size_t len, const char *file)
{
    if (!len || strncmp(file, root, len) || file[len] != '/')
        return NULL;
    file += len;
    while (*file == '/')
        file++;
    return *file ? file : NULL;
}

const char *hd_paths_of(struct hd_report *r, const char *root, const char *file)
{
    size_t len = root ? strlen(root) : 0;
    while (len && root[len - 1] == '/')
        len--;
    if (!file || *file != '/')
        return file;
    for (int ups = 0; ups <= MAX_UPS && len; ups++) {
        const char *rest = below(root, len, file);
        if (rest && strlen(rest) + 3 * (size_t)ups < strlen(file))
            return hd_report_format(r, "%.*s%s", 3 * ups, "../../../", rest);
        while (len && root[len - 1] != '/') /* the folder above */
            len--;
        while (len && root[len - 1] == '/')
            len--;
        if (!memchr(root + 1, '/', len ? len - 1 : 0))
            break; /* what all have in common means nothing */
    }
    return file;
}

/* ---- names inside sentences ---- */

static const char *in_sentence(struct hd_report *r, const char *root, const char *text)
{
    static const char ends[] = " ,;:)'\"";
    const char *at = text;
    while (at && (at = strchr(at, '/'))) {
        bool starts = at == text || strchr(" ('\"", at[-1]);
        size_t len = strcspn(at, ends);
        const char *name = hd_report_format(r, "%.*s", (int)len, at);
        const char *shorter = starts ? hd_paths_of(r, root, name) : name;
        if (shorter == name) {
            at += len;
            continue;
        }
        size_t before = (size_t)(at - text);
        text = hd_report_format(r, "%.*s%s%s", (int)before, text, shorter, at + len);
        at = text + before + strlen(shorter);
    }
    return text;
}

/* ---- all of a report ---- */

static bool is_sentence(const char *key)
{
    static const char *const keys[] = {"location", "why", "reason", "title", "first", "second"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

static void change(struct walk *w, const char **slot, bool sentence)
{
    const char *old = *slot;
    if (!old || strlen(old) > 4096)
        return;
    const char *now = sentence ? in_sentence(w->r, w->root, old) : hd_paths_of(w->r, w->root, old);
    if (now == old)
        return;
    *(struct hd_paths_change *)hd_vec_push(&w->p->changed) = (struct hd_paths_change){slot, old};
    *slot = now;
}

static void visit(struct walk *w, const struct hd_shape *shape, char *object);

static void visit_field(struct walk *w, const struct hd_shape_field *f, char *object)
{
    char *at = object + f->offset;
    switch (f->kind) {
    case HD_SHAPE_TEXT:
        if (!strcmp(f->key, "file") || is_sentence(f->key))
            change(w, (const char **)(void *)at, is_sentence(f->key));
        return;
    case HD_SHAPE_TEXTS:
        if (!strcmp(f->key, "undecided") || !strcmp(f->key, "notes") ||
            !strcmp(f->key, "search_notes"))
            for (size_t i = 0; i < ((struct hd_texts *)(void *)at)->n; i++)
                change(w, &((struct hd_texts *)(void *)at)->items[i], true);
        return;
    case HD_SHAPE_LIST: {
        char *items = *(char **)(void *)at;
        size_t n = *(size_t *)(void *)(object + f->count);
        for (size_t i = 0; i < n; i++)
            visit(w, f->shape, items + i * f->shape->size);
        return;
    }
    case HD_SHAPE_SUB:
    case HD_SHAPE_SAME:
        visit(w, f->shape, at);
        return;
    case HD_SHAPE_GROUP:
        visit(w, f->shape, object);
        return;
    default:
        return;
    }
}

static void visit(struct walk *w, const struct hd_shape *shape, char *object)
{
    for (size_t i = 0; i < shape->n; i++)
        visit_field(w, &shape->fields[i], object);
}

void hd_paths_shorten(struct hd_paths *p, struct hd_report *r, const char *root)
{
    struct walk w = {r, root, p};
    p->changed = HD_VEC_INIT(struct hd_paths_change);
    if (root)
        visit(&w, &hd_shape_report, (char *)r);
}

void hd_paths_restore(struct hd_paths *p)
{
    for (size_t i = p->changed.len; i-- > 0;) { /* shared arrays are visited twice */
        const struct hd_paths_change *c = hd_vec_at(&p->changed, i);
        *c->slot = c->old;
    }
    hd_vec_fini(&p->changed);
}
