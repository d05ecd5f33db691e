/* heddle replay under a debugger. */
#include "base/alloc.h"
#include "record/preload.h"
#include "replay/replay_int.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WORDS 24 /* of our own, before those of the program */

/* One line for each entry, for people; the first line counts the entries of the property. */
static enum hd_status write_steps(const struct hd_trace *t, const struct hd_schedule *s,
                                  const char *path, struct hd_err *err)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    fprintf(f, "%u %u\n", s->n_first, s->n_second);
    for (size_t i = 0; i < s->entries.len; i++) {
        const struct hd_sched_entry *e = hd_vec_at(&s->entries, i);
        hd_eid event = s->events.data[i];
        hd_tid u = s->tids.data[e->thread];
        const char *thread = u == UINT32_MAX ? "?" : hd_trace_thread_name(t, u);
        if (event == HD_EID_NONE && e->kind == HD_SCHED_ANY && e->count > 1) {
            fprintf(f, "%-8s goes on, %u steps\n", thread, e->count);
            continue;
        }
        if (event == HD_EID_NONE) {
            fprintf(f, "%-8s %s\n", thread, e->kind == HD_SCHED_ENDS ? "ends" : "goes on");
            continue;
        }
        const struct hd_op_info *info = &hd_op_info[t->op[event]];
        const char *object = "";
        if (info->kind == HD_OBJ_THREAD)
            object = hd_trace_thread_name(t, t->obj[event]);
        else if (info->kind != HD_OBJ_NONE)
            object = hd_trace_obj_name(t, info->kind, t->obj[event]);
        fprintf(f, "%-8s %s(%s) %s\n", thread, info->text, object, hd_trace_place_name(t, event));
    }
    int bad = ferror(f);
    return fclose(f) || bad ? hd_err_set(err, HD_ERR_IO, "cannot write %s", path) : HD_OK;
}

/* "set args 'a' 'b' < /dev/null", for the shell that gdb starts the program with. */
static void quote_args(char **argv, struct hd_bytes *out)
{
    static const char head[] = "set args", tail[] = " < /dev/null";
    hd_bytes_put(out, head, sizeof head - 1);
    for (argv++; *argv; argv++) {
        hd_bytes_put(out, " '", 2);
        for (const char *p = *argv; *p; p++)
            hd_bytes_put(out, *p == '\'' ? "'\\''" : p, *p == '\'' ? 4 : 1);
        hd_bytes_put(out, "'", 1);
    }
    hd_bytes_put(out, tail, sizeof tail);
}

/* LD_PRELOAD is for the program alone, not for the debugger or a shell: "env LD_PRELOAD=...". Its
 * parts lie in `text`. */
static void put_wrapper(const struct hd_child *child, const char *head, struct hd_bytes *text)
{
    char value[2 * PATH_MAX];
    hd_preload_value(child->env ? child->env : environ, value, sizeof value);
    hd_bytes_put(text, head, strlen(head));
    hd_bytes_put(text, value, strlen(value) + 1);
}

static void gdb_words(const struct hd_replay_options *opts, const struct hd_child *child,
                      const char *steps, struct hd_bytes *text, char **words)
{
    static char off[] = "set confirm off", lines[] = "unset environment LINES",
                columns[] = "unset environment COLUMNS", go[] = "run", gdb[] = "gdb",
                quiet[] = "-q", batch[] = "-batch", ex[] = "-ex", x[] = "-x";
    static const char set[] = "python gdb.set_convenience_variable('heddle_steps', '", end[] = "')";
    hd_bytes_put(text, set, sizeof set - 1);
    hd_bytes_put(text, steps, strlen(steps));
    hd_bytes_put(text, end, sizeof end);
    size_t args = text->len;
    quote_args(child->argv, text);
    size_t wrapper = text->len;
    if (child->preload)
        put_wrapper(child, "set exec-wrapper env LD_PRELOAD=", text);
    else
        hd_bytes_put(text, "unset exec-wrapper", sizeof "unset exec-wrapper");
    size_t core = text->len;
    if (opts->core) {
        static const char write[] = "generate-core-file ";
        hd_bytes_put(text, write, sizeof write - 1);
        hd_bytes_put(text, opts->core, strlen(opts->core) + 1);
    }
    char *list[] = {gdb,
                    opts->core ? batch : quiet,
                    (char *)(uintptr_t)child->program,
                    ex,
                    off,
                    ex,
                    lines,
                    ex,
                    columns,
                    ex,
                    (char *)text->data,
                    ex,
                    (char *)text->data + args,
                    ex,
                    (char *)text->data + wrapper,
                    x,
                    (char *)(uintptr_t)opts->gdb,
                    ex,
                    go,
                    opts->core ? ex : NULL,
                    opts->core ? (char *)text->data + core : NULL};
    memcpy(words, list, sizeof list);
}

static size_t add_words(char **words, size_t n, char **more, size_t n_more)
{
    memcpy(words + n, more, n_more * sizeof *more);
    return n + n_more;
}

static void server_words(const struct hd_replay_options *opts, const struct hd_child *child,
                         struct hd_bytes *text, char **words)
{
    static char server[] = "gdbserver", once[] = "--once", bare[] = "--no-startup-with-shell",
                wrapper[] = "--wrapper", env[] = "env", over[] = "--";
    char port[32];
    hd_bytes_put(text, port,
                 (size_t)snprintf(port, sizeof port, "localhost:%u", opts->gdbserver) + 1);
    size_t value = text->len, n = 0;
    if (child->preload)
        put_wrapper(child, "LD_PRELOAD=", text);
    char *list[] = {server, once};
    char *with[] = {wrapper, env, (char *)text->data + value, over};
    char *what[] = {(char *)text->data, (char *)(uintptr_t)child->program};
    n = add_words(words, n, list, sizeof list / sizeof *list);
    if (child->preload) /* a shell starts the wrapper */
        n = add_words(words, n, with, sizeof with / sizeof *with);
    else
        words[n++] = bare;
    n = add_words(words, n, what, sizeof what / sizeof *what);
    for (size_t i = 1; child->argv[i]; i++)
        words[n++] = child->argv[i];
}

enum hd_status hd_replay_debug(const struct hd_replay_options *opts, const struct hd_schedule *s,
                               const struct hd_child *child, const char *dir, struct hd_err *err)
{
    char steps[PATH_MAX + 8];
    struct hd_bytes text = {0};
    size_t args = 0;
    snprintf(steps, sizeof steps, "%s/steps", dir);
    enum hd_status status = write_steps(opts->trace, s, steps, err);
    if (status != HD_OK)
        return status;
    while (child->argv[args])
        args++;
    char **words = hd_calloc(MAX_WORDS + args + 1, sizeof *words);
    if (opts->gdbserver)
        server_words(opts, child, &text, words);
    else
        gdb_words(opts, child, steps, &text, words);
    struct hd_child debugger = *child;
    struct hd_child_result done;
    debugger.program = words[0];
    debugger.argv = words;
    debugger.terminal = true;
    status = hd_child_run(&debugger, &done, err);
    hd_child_result_fini(&done);
    hd_free(words, (MAX_WORDS + args + 1) * sizeof *words);
    hd_bytes_fini(&text);
    unlink(steps);
    return status;
}
