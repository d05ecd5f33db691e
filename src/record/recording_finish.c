#include "record/recording_finish.h"

#include "base/alloc.h"
#include "build/build.h"
#include "recording/recnames.h"
#include "recording/kept_inputs.h"
#include "recording/recmeta.h"
#include "build/origin.h"
#include "record/program.h"
#include "symbols/symtypes.h"
#include "recording/rawlog.h"
#include "trace/builder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEVEL 3

struct modules {
    struct hd_symbols *symbols;
    struct hd_recmeta *meta;
};

/* Calls see(kind, text) for each line of the runtime's notes. */
static void each_note(const struct hd_log_header *h,
                      void (*see)(void *ctx, unsigned kind, const char *text), void *ctx)
{
    const char *p = (const char *)h + HD_LOG_NOTES_AT;
    const char *end = p + (h->notes_len < HD_LOG_NOTES ? h->notes_len : HD_LOG_NOTES);
    char line[4096];
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop)
            return;
        size_t n = (size_t)(stop - p) < sizeof line ? (size_t)(stop - p) : sizeof line - 1;
        memcpy(line, p, n);
        line[n] = 0;
        if (n)
            see(ctx, (unsigned)(*line - '0'), line + 1);
        p = stop + 1;
    }
}

static void see_module(void *arg, unsigned kind, const char *text)
{
    struct modules *ctx = arg;
    char bias[17] = "", id[128], line[4400];
    if (kind != 0 || strlen(text) < 17)
        return;
    memcpy(bias, text, 16);
    if (ctx->symbols)
        hd_symbols_module(ctx->symbols, text + 16, strtoull(bias, NULL, 16));
    if (!ctx->meta)
        return;
    hd_origin_module_id(text + 16, id, sizeof id);
    snprintf(line, sizeof line, "%s %s %s", bias, id, text + 16);
    hd_recmeta_add(ctx->meta, "module", line);
}

/* Which accesses its reader leaves out: see build.h. The variables are for tests: handing
 * over is looked for from so many uses of shared memory on; every walk reads the whole log. */
static void add_reduction(struct hd_recmeta *m, bool keep_all)
{
    const char *from = getenv("HEDDLE_HANDED_FROM");
    if (keep_all)
        hd_recmeta_add_number(m, "keep-all", 1);
    if (from && *from)
        hd_recmeta_add_number(m, "handed-from", strtoull(from, NULL, 10));
    if (getenv("HEDDLE_WHOLE_LOG"))
        hd_recmeta_add_number(m, "whole-log", 1);
}

static void write_meta(const struct hd_record_opts *opts, const struct hd_log_header *h,
                       uint64_t limit, int lost, int wait_status, const struct hd_remarks *imports,
                       struct hd_rec_writer *out)
{
    struct hd_recmeta m;
    hd_recmeta_init(&m);
    for (size_t i = 0; i < hd_remarks_count(imports); i++)
        hd_recmeta_add(&m, "unmodelled", hd_remarks_subject(imports, i));
    if (h->strangers)
        hd_recmeta_add(&m, "unmodelled", HD_LOG_STRANGERS);
    hd_recmeta_add(&m, "policy", hd_policy_names[opts->policy]);
    hd_recmeta_add_number(&m, "seed", opts->seed);
    hd_recmeta_add_number(&m, "quantum", opts->quantum);
    hd_recmeta_add_number(&m, "depth", opts->depth);
    hd_recmeta_add_number(&m, "steps", opts->steps);
    hd_recmeta_add_number(&m, "threads", h->threads);
    hd_recmeta_add_number(&m, "wait-status", (uint64_t)wait_status);
    add_reduction(&m, opts->keep_all);
    if (limit)
        hd_recmeta_add_number(&m, "limit", limit);
    if (lost)
        hd_recmeta_add_number(&m, "lost", (uint64_t)lost);
    if (h->pending.len && !lost) {
        hd_recmeta_add_number(&m, "pending-kind", h->pending.kind);
        hd_recmeta_add_number(&m, "pending-pc", h->pending.pc);
        hd_recmeta_add_number(&m, "pending-address", h->pending.addr);
        hd_recmeta_add_number(&m, "pending-bytes", h->pending.len);
    }
    struct modules ctx = {NULL, &m};
    each_note(h, see_module, &ctx);
    hd_rec_put(out, HD_REC_META, m.text.data, m.text.len, LEVEL);
    hd_recmeta_fini(&m);
}

struct notes {
    struct hd_remarks *remarks;
    struct hd_symbols *symbols;
};

/* The module of a code address in hex starts threads and is not instrumented; C++ libraries do so
 * on behalf of their caller. */
static void say_foreign(struct notes *n, const char *text)
{
    char name[256];
    uint64_t pc = strtoull(text, NULL, 16);
    if (!hd_symbols_module_name(n->symbols, pc, name, sizeof name) ||
        !strncmp(name, "libstdc++", 9) || !strncmp(name, "libc++", 6))
        return;
    hd_remarks_add(n->remarks, HD_REMARK_STARTS_THREADS, name);
}

static void see_note(void *ctx, unsigned kind, const char *text)
{
    struct notes *n = ctx;
    if (kind == HD_NOTE_FOREIGN)
        say_foreign(n, text);
    else if (kind == HD_NOTE_UNMODELLED)
        hd_remarks_add_unmodelled(n->remarks, text);
    else if (kind == HD_NOTE_LOADED)
        hd_remarks_add(n->remarks, HD_REMARK_LOADED, text);
    else if (kind == HD_NOTE_FORKED && !*text)
        hd_remarks_add(n->remarks, HD_REMARK_FORKED, "");
    else if (kind == HD_NOTE_EXEC)
        hd_remarks_add(n->remarks, HD_REMARK_EXEC, "");
}

static struct hd_symbols *open_symbols(const struct hd_ring *ring)
{
    struct hd_symbols *symbols = hd_symbols_new();
    struct modules ctx = {symbols, NULL};
    each_note(ring->header, see_module, &ctx);
    return hd_symbols_share(symbols);
}

/* The structs with locks of the files that ran; of all files when the runtime could not name them
 * all, or a test wants to compare. */
static const struct hd_bytes *find_types(const struct hd_log_header *h, struct hd_symbols *symbols)
{
    bool all = h->uses.n > HD_USES || getenv("HEDDLE_ALL_TYPES");
    return hd_symtypes_collect(symbols, all ? NULL : h->uses.at, h->uses.n);
}

static void write_names(const struct hd_ring *ring, struct hd_symbols *symbols,
                        struct hd_rec_writer *out)
{
    uint32_t n;
    const uint64_t *keys = hd_ring_keys(ring, &n);
    hd_recnames_write(out, keys, n, symbols);
    const struct hd_bytes *types = find_types(ring->header, symbols);
    if (types->len)
        hd_rec_put(out, HD_REC_TYPES, types->data, types->len, LEVEL);
}

/* What the run got from outside, for a replay: the META that the trace will have. */
static void write_inputs(const struct hd_record_opts *opts, const char *program,
                         const struct hd_bytes *input, const struct hd_log_header *h,
                         struct hd_rec_writer *out)
{
    struct hd_trace *none;
    struct hd_bytes b = {0};
    char here[PATH_MAX] = "/", full[PATH_MAX], fds[4] = "";
    for (int i = 0; i < 3; i++)
        fds[i] = hd_inputs_fd(opts->fds ? opts->fds[i] : i);
    if (hd_builder_finish(hd_builder_new(), &none, NULL) != HD_OK)
        return;
    if (getcwd(here, sizeof here) && realpath(program, full))
        hd_inputs_save(none, full, opts->argv, environ, here, fds, input, h);
    for (size_t i = 0; i < none->n_meta; i++) {
        hd_bytes_put(&b, none->meta[i].key, strlen(none->meta[i].key) + 1);
        hd_bytes_varint(&b, none->meta[i].len);
        hd_bytes_put(&b, none->meta[i].data, none->meta[i].len);
    }
    hd_rec_put(out, HD_REC_INPUTS, b.data, b.len, LEVEL);
    hd_bytes_fini(&b);
    hd_trace_free(none);
}

static void add_process(struct hd_recmeta *m, const struct hd_log_header *h,
                        const struct hd_finish_process *who)
{
    hd_recmeta_add(m, "process", who->name);
    for (size_t i = 0; i < who->n_forks; i++)
        hd_recmeta_add_number(m, "fork", who->forks[i]);
    add_reduction(m, who->keep_all);
    if (h->pid)
        hd_recmeta_add_number(m, "pid", h->pid);
    if (h->asked_date)
        hd_recmeta_add_number(m, "date", h->real_base);
    if (h->asked_random)
        hd_recmeta_add_number(m, "random", h->entropy);
}

void hd_recording_finish_short(const struct hd_ring *ring, const struct hd_finish_process *who,
                               struct hd_rec_writer *out)
{
    struct hd_recmeta m;
    struct modules ctx = {NULL, &m};
    hd_recmeta_init(&m);
    if (who)
        add_process(&m, ring->header, who);
    if (ring->header->lost)
        hd_recmeta_add_number(&m, "lost", ring->header->lost);
    each_note(ring->header, see_module, &ctx);
    struct hd_symbols *symbols = open_symbols(ring);
    write_names(ring, symbols, out);
    hd_symbols_free(symbols);
    hd_rec_put(out, HD_REC_META, m.text.data, m.text.len, LEVEL);
    hd_rec_put(out, HD_REC_END, NULL, 0, 0);
    hd_recmeta_fini(&m);
}

/* Whether the runtime counted up to the end of what we have. */
static bool counted(const struct hd_ring *ring)
{
    const struct hd_log_header *h = ring->header;
    return h->events_end >= ring->end && !ring->error;
}

/* A program that is ended while it runs has not counted its last chunk. To count takes longer than
 * to record, and of a long log the chunks before are enough. */
static bool counted_enough(const struct hd_record_opts *opts, const struct hd_ring *ring,
                           const struct hd_record_result *result)
{
    return result->timed_out && ring->header->events && !opts->limit;
}

/* Reads back what was written: for the notes that need it, or for the number of events. */
static enum hd_status look_back(const struct hd_rec_writer *out, bool notes,
                                const struct hd_build_watch *watch, struct hd_record_result *result,
                                struct hd_err *err)
{
    struct hd_trace *trace = NULL;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", out->fd); /* ours may only be written */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *map = fd < 0 ? MAP_FAILED : mmap(NULL, out->size, PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED)
        return HD_OK; /* not a file: then some notes are for its reader */
    uint32_t lost = result->info.lost;
    enum hd_status s = HD_OK;
    if (notes)
        s = hd_build_trace("recording", map, out->size, watch, &trace, &result->info, err);
    else
        s = hd_build_count("recording", map, out->size, watch, &result->info, err);
    result->info.lost = lost;
    result->more = s == HD_ERR_STOPPED; /* what the runtime counted stands */
    if (!result->more)
        result->events = result->info.events;
    else
        s = HD_OK;
    hd_trace_free(trace);
    munmap(map, out->size);
    return s;
}

/* The program ran, and our runtime did not. */
static enum hd_status not_claimed(const struct hd_record_opts *opts, const char *program,
                                  int status, struct hd_err *err)
{
    if (hd_program_kind(program) != HD_PROGRAM_INSTRUMENTED)
        return hd_err_set(err, HD_ERR_INPUT,
                          "%s is not instrumented: compile and link it with heddle cc. If it only "
                          "starts your program, build that one so (for example make CC=\"heddle "
                          "cc\") and run it itself",
                          opts->argv[0]);
    if (WIFSIGNALED(status))
        return hd_err_set(err, HD_ERR_INPUT, "%s was ended by signal %d before it started",
                          opts->argv[0], WTERMSIG(status));
    return hd_err_set(err, HD_ERR_INPUT, "%s ended with status %d before it started", opts->argv[0],
                      WEXITSTATUS(status));
}

/* With the runtime loaded first, any program claims the log. */
static enum hd_status none_instrumented(const char *name, struct hd_err *err)
{
    return hd_err_set(err, HD_ERR_INPUT,
                      "%s loaded no library that heddle cc compiled: compile it with heddle cc",
                      name);
}

/* After which event the recording stops; 0: it does not. */
static uint64_t limit_of(const struct hd_record_opts *opts, const struct hd_ring *ring)
{
    if (ring->stopped && (!opts->limit || ring->stopped < opts->limit))
        return ring->stopped;
    return opts->limit;
}

static void say_stopped(const struct hd_record_opts *opts, const struct hd_ring *ring,
                        struct hd_record_result *result)
{
    enum { KB = 1000, MB = 1000000 };
    struct hd_remarks *remarks = &result->info.remarks;
    unsigned unit = opts->max_size < MB ? KB : MB;
    if (ring->stopped)
        hd_remarks_addf(remarks, HD_REMARK_OTHER,
                        "the recording stopped at %" PRIu64 " %s, after %" PRIu64
                        " events, and the program ran on (--max-size BYTES changes that)",
                        opts->max_size / unit, unit == KB ? "KB" : "MB", ring->stopped);
    if (result->timed_out && !opts->fds)
        hd_remarks_addf(
            remarks, HD_REMARK_OTHER,
            "the program was ended after %.3g seconds, as asked for: what it did until then is "
            "kept",
            opts->timeout);
}

enum hd_status hd_recording_finish_write(const struct hd_record_opts *opts, const char *program,
                                         const struct hd_bytes *input, struct hd_ring *ring,
                                         struct hd_rec_writer *out, struct hd_record_result *result,
                                         struct hd_err *err)
{
    const struct hd_log_header *h = ring->header;
    int lost = ring->error;
    uint64_t limit = limit_of(opts, ring);
    struct hd_remarks imports = {0};
    if (!h->owner)
        return not_claimed(opts, program, result->wait_status, err);
    if (h->preload && !h->instrumented)
        return none_instrumented(opts->argv[0], err);
    hd_program_unmodelled(program, &imports);
    if (out->error && !hd_rec_cut(out))
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", opts->out, strerror(out->error));
    struct hd_symbols *symbols = open_symbols(ring);
    for (;;) {
        write_names(ring, symbols, out);
        write_inputs(opts, program, input, h, out);
        write_meta(opts, h, limit, lost, result->wait_status, &imports, out);
        hd_rec_put(out, HD_REC_END, NULL, 0, 0);
        if (!out->error)
            break;
        lost = out->error;
        if (!hd_rec_cut(out))
            break;
    }
    if (out->error) {
        hd_remarks_fini(&imports);
        hd_symbols_free(symbols);
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", opts->out, strerror(lost));
    }
    result->info.lost = (uint32_t)lost;
    result->events = h->events;
    result->threads = h->threads;
    result->bytes = out->size;
    enum hd_status s = HD_OK;
    result->more = !counted(ring) && counted_enough(opts, ring, result);
    if (h->wants_notes || lost || (!counted(ring) && !result->more))
        s = look_back(out, h->wants_notes, opts->watch, result, err);
    struct notes n = {&result->info.remarks, symbols};
    if (!h->wants_notes || result->more)
        each_note(h, see_note, &n);
    hd_symbols_free(symbols);
    hd_remarks_merge(&result->info.remarks, &imports);
    hd_remarks_fini(&imports);
    if (limit && result->events >= limit) {
        result->events = result->info.limit = limit;
        result->more = false;
    }
    say_stopped(opts, ring, result);
    return s;
}
