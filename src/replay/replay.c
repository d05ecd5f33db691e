#include "replay/replay.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/progress.h"
#include "build/build.h"
#include "record/forked.h"
#include "record/launch.h"
#include "record/program.h"
#include "record/recording_finish.h"
#include "record/ring.h"
#include "recording/kept_arrivals.h"
#include "recording/kept_inputs.h"
#include "replay/code_frames.h"
#include "replay/outcome.h"
#include "replay/replay_int.h"
#include "trace/digest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const hd_replay_verdict_names[] = {"confirmed", "diverged", "changed", "impossible",
                                               "apart",     "timeout",  "outside"};

struct replay {
    const struct hd_replay_options *opts;
    struct hd_replay_result *result;
    struct hd_origins origins;
    struct hd_schedule schedule;
    struct hd_inputs inputs;
    char program[PATH_MAX];
    char dir[PATH_MAX]; /* ours, removed in the end; "": none yet */
    char log[64], sched[PATH_MAX + 16];
    char arrivals[PATH_MAX + 16]; /* "": nothing came from outside */
    char
        family[2048]; /* start of the names of logs of other processes; "": the first is replayed */
    struct hd_log_header header; /* of the process that is replayed, when it has run */
    int input;                   /* the program's standard input, or -1 */
    struct hd_ring ring;
    struct hd_rec_writer out;
    void *data; /* the recording of the last execution */
    size_t len;
    void *before; /* that of the execution before it, until the two are compared; or NULL */
    size_t before_len;
    struct hd_err *err;
};

static void note(struct replay *r, const char *text)
{
    hd_names_add(&r->result->notes, text, strlen(text));
}

static void set_reason(struct replay *r, enum hd_replay_verdict verdict, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void set_reason(struct replay *r, enum hd_replay_verdict verdict, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(r->result->reason, sizeof r->result->reason, fmt, args);
    va_end(args);
    r->result->verdict = verdict;
}

/* ---- before the program runs ---- */

static enum hd_status find_program(struct replay *r)
{
    const char *name = r->opts->argv ? r->opts->argv[0] : r->inputs.program;
    if (!name)
        return hd_err_set(r->err, HD_ERR_INPUT,
                          "the trace does not name its program: give it after --");
    return hd_program_find(name, r->program, sizeof r->program, r->err);
}

/* False: something is not what was recorded; the verdict names it. */
static bool unchanged(struct replay *r)
{
    for (size_t i = 0; i < r->origins.modules.len; i++) {
        const struct hd_origin_module *m = hd_vec_at(&r->origins.modules, i);
        bool first = i == 0 && !(r->inputs.process && strchr(r->inputs.process, 'x'));
        const char *path = first ? r->program : m->path, *slash = strrchr(path, '/');
        char id[128];
        if (!*m->id || !strncmp(slash ? slash + 1 : path, "libheddle_rt", 12))
            continue;
        hd_origin_module_id(path, id, sizeof id);
        if (!strcmp(id, m->id))
            continue;
        if (i == 0 && hd_program_kind(path) != HD_PROGRAM_INSTRUMENTED) {
            set_reason(r, HD_REPLAY_CHANGED,
                       "%s only started the recorded program, %s, and cannot be run again under "
                       "its schedule; run that program itself",
                       path, m->path);
            return false;
        }
        set_reason(r, HD_REPLAY_CHANGED,
                   "%s is not the file that was recorded (build-id %.40s, recorded %.40s): record "
                   "again",
                   path, *id ? id : "none", m->id);
        return false;
    }
    return true;
}

static enum hd_status make_dir(struct replay *r)
{
    const char *base = r->opts->dir ? r->opts->dir : getenv("TMPDIR");
    char full[PATH_MAX];
    base = base && *base ? base : "/tmp";
    if (!realpath(base, full))
        return hd_err_set(r->err, HD_ERR_IO, "cannot use the folder %s: %s", base, strerror(errno));
    int n = snprintf(r->dir, sizeof r->dir, "%s/heddle-replay-XXXXXX", full);
    if (n < 0 || (size_t)n >= sizeof r->dir || !mkdtemp(r->dir)) {
        *r->dir = 0;
        return hd_err_set(r->err, HD_ERR_IO, "cannot make a folder in %s: %s", base,
                          strerror(errno));
    }
    snprintf(r->sched, sizeof r->sched, "%s/schedule", r->dir);
    snprintf(r->arrivals, sizeof r->arrivals, "%s/arrivals", r->dir);
    bool any;
    enum hd_status s = hd_kept_arrivals_write(r->opts->trace, r->arrivals, &any, r->err);
    if (!any)
        *r->arrivals = 0;
    return s;
}

/* Another process than the first follows the schedule: those before it run as recorded. */
static void name_target(struct replay *r, struct hd_log_header *h)
{
    const struct hd_inputs *in = &r->inputs;
    int n = snprintf(r->family, sizeof r->family, "%.*s/log", (int)sizeof r->family - 8, r->dir);
    h->policy = in->policy;
    h->seed = in->seed;
    h->quantum = in->quantum;
    h->depth = in->depth;
    h->steps = in->steps;
    h->root = (uint32_t)n;
    h->target_pid = in->target_pid;
    snprintf(h->family, sizeof h->family, "%s", r->family);
    snprintf(h->target, sizeof h->target, "%s", in->process);
}

/* The log goes through memory to a recording in memory. */
static enum hd_status make_log(struct replay *r)
{
    struct hd_log_header h = {.policy = HD_POLICY_FOLLOW,
                              .quantum = 1,
                              .depth = 1,
                              .steps = 1,
                              .exit_steps = HD_RECORD_EXIT_STEPS,
                              .real_base = r->inputs.real_base,
                              .entropy = r->inputs.entropy,
                              .pid = r->inputs.pid};
    if (r->inputs.process)
        name_target(r, &h);
    enum hd_status s = hd_ring_open(&r->ring, &h, r->err);
    if (s != HD_OK)
        return s;
    hd_ring_path(&r->ring, r->log, sizeof r->log);
    hd_rec_writer_init(&r->out, memfd_create("heddle-replay", MFD_CLOEXEC));
    hd_ring_start(&r->ring, &r->out);
    return HD_OK;
}

/* All files of our folder whose names start so. */
static void remove_files(const struct replay *r, const char *start)
{
    char path[PATH_MAX + 260];
    DIR *dir = *r->dir ? opendir(r->dir) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%.255s", r->dir, e->d_name);
        if (e->d_name[0] != '.' && !strncmp(e->d_name, start, strlen(start)))
            unlink(path);
    }
    if (dir)
        closedir(dir);
}

static enum hd_status take_log(struct replay *r)
{
    hd_ring_finish(&r->ring);
    hd_recording_finish_short(&r->ring, NULL, &r->out);
    r->header = *r->ring.header;
    r->data = MAP_FAILED;
    r->len = r->out.size;
    if (!r->out.error)
        r->data = mmap(NULL, r->len, PROT_READ, MAP_SHARED, r->out.fd, 0);
    if (r->data == MAP_FAILED)
        return hd_err_set(r->err, HD_ERR_IO, "cannot keep the log of the replay: %s",
                          strerror(r->out.error ? r->out.error : errno));
    if (!r->inputs.process || !r->header.owner)
        return HD_OK;
    enum hd_status s =
        hd_forked_read(r->family, r->inputs.process, &r->data, &r->len, &r->header, r->err);
    remove_files(r, "log.");
    if (s != HD_ERR_LIMIT)
        return s;
    note(r, "the replay did not come to the process that was recorded"); /* so it never stood */
    return HD_OK;
}

static void forget_before(struct replay *r)
{
    if (r->before)
        munmap(r->before, r->before_len);
    r->before = NULL;
}

static void end_log(struct replay *r)
{
    forget_before(r);
    if (r->data != MAP_FAILED) {
        r->before = r->data;
        r->before_len = r->len;
    }
    r->data = NULL;
    close(r->out.fd);
    hd_rec_writer_fini(&r->out);
    hd_ring_close(&r->ring);
}

/* ---- one execution ---- */

static void free_text(char **text)
{
    if (*text)
        hd_free(*text, strlen(*text) + 1);
    *text = NULL;
}

static void order_fini(struct hd_replay_order *o)
{
    for (int i = 0; i < 2; i++) {
        free_text(&o->access[i].thread);
        free_text(&o->access[i].value);
        hd_code_frames_fini(&o->access[i].stack);
    }
    hd_code_frames_fini(&o->crash);
    free_text(&o->summary);
    free_text(&o->assertion);
    hd_remarks_fini(&o->waiting);
    if (o->out)
        hd_free(o->out, o->out_len + 1);
    if (o->err)
        hd_free(o->err, o->err_len + 1);
    for (int i = 0; i < 2; i++)
        if (o->steady[i])
            hd_free(o->steady[i], o->steady_len[i] + 1);
    *o = (struct hd_replay_order){0};
}

static char *keep_text(const struct hd_bytes *b)
{
    char *text = hd_alloc(b->len + 1);
    if (b->len)
        memcpy(text, b->data, b->len);
    text[b->len] = 0;
    return text;
}

static bool overlap(const struct hd_replay_order *o)
{
    const struct hd_replay_access *a = &o->access[0], *b = &o->access[1];
    uint64_t from = a->byte > b->byte ? a->byte : b->byte;
    uint64_t a_end = a->byte + a->size, b_end = b->byte + b->size;
    return from < a_end && from < b_end && (a->writes || b->writes);
}

/* The accesses that the order did not come to keep the kind that the trace gives them. */
static void fill_kinds(const struct replay *r, struct hd_replay_order *o)
{
    const struct hd_trace *t = r->opts->trace;
    hd_eid pair[2] = {r->opts->witness->a, r->opts->witness->b};
    for (int i = 0; i < 2; i++) {
        if (o->access[i].kind || !hd_op_is_access(t->op[pair[i]]))
            continue;
        o->access[i].kind = hd_op_info[t->op[pair[i]]].words;
        o->access[i].writes = hd_op_writes(t->op[pair[i]]);
    }
}

static void expected_text(const struct replay *r, uint64_t entry, char *out, size_t size)
{
    const struct hd_trace *t = r->opts->trace;
    const struct hd_sched_entry *e =
        entry < r->schedule.entries.len ? hd_vec_at(&r->schedule.entries, entry) : NULL;
    hd_eid event = e ? r->schedule.events.data[entry] : HD_EID_NONE;
    if (event != HD_EID_NONE) {
        snprintf(out, size, "event %u, %s %s at %s", event + 1,
                 hd_trace_thread_name(t, t->thread[event]), hd_op_info[t->op[event]].text,
                 hd_trace_place_name(t, event));
        return;
    }
    hd_tid u = e ? r->schedule.tids.data[e->thread] : UINT32_MAX;
    const char *name = u == UINT32_MAX ? "a thread" : hd_trace_thread_name(t, u);
    snprintf(out, size, "%s to %s", name,
             e && e->kind == HD_SCHED_ENDS ? "run to its end" : "go on");
}

/* Entries of the property stand in another order in the file when the second access goes first. */
static uint64_t entry_of(const struct replay *r, uint64_t entry, bool swap)
{
    uint64_t rest = r->schedule.entries.len - r->schedule.n_first - r->schedule.n_second;
    if (!swap || entry < rest || entry >= r->schedule.entries.len)
        return entry;
    return entry < rest + r->schedule.n_second ? entry + r->schedule.n_first
                                               : entry - r->schedule.n_second;
}

static void diverged(struct replay *r, const struct hd_replay_seen *seen, bool swap)
{
    char expected[600];
    uint64_t entry = entry_of(r, seen->entry, swap);
    struct hd_replay_result *result = r->result;
    result->entry = seen->entry;
    result->entries = r->schedule.entries.len;
    result->event = entry < r->schedule.events.len ? r->schedule.events.data[entry] : HD_EID_NONE;
    expected_text(r, entry, expected, sizeof expected);
    set_reason(r, HD_REPLAY_DIVERGED, "at step %llu of %llu: expected %s; but %s",
               (unsigned long long)seen->entry + 1, (unsigned long long)result->entries, expected,
               seen->came);
}

static enum hd_replay_verdict judge(struct replay *r, struct hd_replay_order *o,
                                    const struct hd_replay_seen *seen, bool swap)
{
    enum hd_property property = r->opts->witness->property;
    bool race = property == HD_PROPERTY_RACE;
    bool fails = property == HD_PROPERTY_FAILURE && (o->signal || o->deadlock || o->timeout);
    bool there = !race                 ? seen->free_run || fails
                 : r->schedule.in_turn ? seen->made[0] && seen->made[1]
                                       : seen->stood;
    if (seen->diverged) {
        diverged(r, seen, swap);
    } else if (!there) {
        set_reason(r, o->timeout ? HD_REPLAY_TIMEOUT : HD_REPLAY_DIVERGED,
                   o->timeout ? "the time ran out before the schedule was done (%s)"
                              : "the program ended before the schedule was done (%s)",
                   o->summary);
    } else if (property == HD_PROPERTY_DEADLOCK && !o->deadlock) {
        set_reason(r, HD_REPLAY_APART, "the schedule ran, but the program did not hang");
    } else if (property == HD_PROPERTY_FAILURE && !fails) {
        set_reason(r, HD_REPLAY_APART, "the schedule ran, but the program did not fail");
    } else if (race && !overlap(o)) {
        set_reason(r, HD_REPLAY_APART,
                   "both threads stood before their accesses, but these touch different bytes "
                   "(0x%llx, %llu bytes and 0x%llx, %llu bytes) or only read them",
                   (unsigned long long)o->access[0].address, (unsigned long long)o->access[0].size,
                   (unsigned long long)o->access[1].address, (unsigned long long)o->access[1].size);
    } else if (race && r->schedule.in_turn && !hd_replay_unordered(r->data, r->len, &r->schedule)) {
        set_reason(r, HD_REPLAY_APART, "both accesses were made, but one happens before the other");
    } else {
        return HD_REPLAY_CONFIRMED;
    }
    return r->result->verdict;
}

/* Reads a whole recording: that may take longer than the execution. */
static void trace_of(const void *data, size_t len, struct hd_replay_order *o)
{
    struct hd_trace *t = NULL;
    struct hd_build_info info;
    struct hd_err ignored = {0};
    if (hd_build_trace("replay", data, len, NULL, &t, &info, &ignored) == HD_OK && !info.lost) {
        hd_digest_trace(t, o->digest);
        for (size_t i = 0; i < hd_remarks_count(&info.remarks); i++)
            if (hd_remarks_kind(&info.remarks, i) == HD_REMARK_DEADLOCK)
                hd_remarks_add(&o->waiting, HD_REMARK_DEADLOCK,
                               hd_remarks_subject(&info.remarks, i));
    }
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* Of two executions of one order, that `kept` has before this one: the same traces? Nearly
 * always the recordings are equal byte by byte, and no trace has to be made of them. */
static void compare_traces(const struct replay *r, struct hd_replay_order *kept,
                           struct hd_replay_order *o)
{
    if (r->before && r->before_len == r->len && !memcmp(r->before, r->data, r->len)) {
        memcpy(o->digest, kept->digest, sizeof o->digest);
        return;
    }
    if (r->before && !*kept->digest)
        trace_of(r->before, r->before_len, kept);
    if (!*o->digest)
        trace_of(r->data, r->len, o);
}

static struct hd_child child_of(const struct replay *r)
{
    return (struct hd_child){.program = r->program,
                             .argv = r->opts->argv ? r->opts->argv : r->inputs.argv,
                             .env = r->inputs.env,
                             .cwd = r->inputs.cwd,
                             .preload = r->inputs.preload,
                             .log = r->log,
                             .sched = r->sched,
                             .arrivals = *r->arrivals ? r->arrivals : NULL,
                             .fds = r->inputs.fds,
                             .input = r->input,
                             .timeout = r->opts->timeout,
                             .show = r->opts->show,
                             .kept = HD_REPLAY_KEPT};
}

/* Under a debugger the user sees what happens: all that is told is whether both threads stood. */
static enum hd_status debug(struct replay *r)
{
    struct hd_replay_seen seen = {0};
    struct hd_replay_order o = {0};
    enum hd_status s = make_dir(r);
    struct hd_child child = child_of(r); /* names files of that folder */
    if (s == HD_OK)
        s = hd_schedule_write(&r->schedule, &r->origins, false, r->sched, r->err);
    if (s == HD_OK)
        s = make_log(r);
    if (s != HD_OK)
        return s;
    s = hd_replay_debug(r->opts, &r->schedule, &child, r->dir, r->err);
    enum hd_status kept = take_log(r);
    s = s == HD_OK ? kept : s;
    if (s == HD_OK)
        s = hd_outcome_read(r->data, r->len, &r->schedule, false, false, &o, &seen, r->err);
    end_log(r);
    if (s == HD_OK && seen.diverged)
        diverged(r, &seen, false);
    else if (s == HD_OK && !seen.stood)
        set_reason(r, HD_REPLAY_DIVERGED, "the program did not get to the accesses");
    order_fini(&o);
    return s;
}

/* One run that is only made for its stacks: hd_stacks_record. */
static enum hd_status take_stacks(struct replay *r)
{
    struct hd_child_result done;
    enum hd_status s = make_dir(r);
    struct hd_child child = child_of(r); /* names files of that folder */
    hd_replay_stacks_mark(r->opts->stacks, r->opts->trace, &r->schedule);
    if (s == HD_OK)
        s = hd_schedule_write(&r->schedule, &r->origins, false, r->sched, r->err);
    if (s == HD_OK)
        s = make_log(r);
    if (s != HD_OK)
        return s;
    s = hd_child_run(&child, &done, r->err);
    enum hd_status kept = take_log(r);
    s = s == HD_OK ? kept : s;
    if (s == HD_OK)
        s = hd_replay_stacks_read(r->opts->stacks, r->data, r->len, &r->schedule, r->err);
    if (s == HD_OK && done.timed_out)
        set_reason(r, HD_REPLAY_TIMEOUT, "the time ran out");
    hd_child_result_fini(&done);
    end_log(r);
    return s;
}

/* How another process than the first ended, as waitpid would say: `first` is how that one did. */
static int ended(const struct replay *r, const struct hd_replay_seen *seen, int first)
{
    if (seen->signal)
        return seen->signal;
    return r->header.status ? (int)(r->header.status - 1) << 8 : first;
}

/* One of the executions of an order. */
struct round {
    bool swap;
    bool last;                    /* its stacks are kept: of the first and the last one */
    struct hd_replay_order *kept; /* what the one before it did, if it ran */
    double started;               /* by the clock */
};

static bool took_long(const struct replay *r, const struct round *round)
{
    return r->opts->patience > 0 && hd_progress_now() - round->started > r->opts->patience;
}

static enum hd_status execute(struct replay *r, const struct round *round,
                              struct hd_replay_order *o)
{
    bool swap = round->swap;
    struct hd_replay_seen seen = {0};
    struct hd_child_result done;
    struct hd_child child = child_of(r);
    enum hd_status s = hd_schedule_write(&r->schedule, &r->origins, swap, r->sched, r->err);
    if (s == HD_OK)
        s = make_log(r);
    if (s != HD_OK)
        return s;
    s = hd_child_run(&child, &done, r->err);
    enum hd_status kept = take_log(r);
    s = s == HD_OK ? kept : s;
    if (s == HD_OK)
        s = hd_outcome_read(r->data, r->len, &r->schedule, swap, round->last, o, &seen, r->err);
    seen.deadlock = r->header.outcome == HD_OUTCOME_DEADLOCK;
    if (s == HD_OK && !r->ring.header->owner)
        s = hd_err_set(r->err, HD_ERR_INPUT,
                       "%s is not instrumented: compile and link it with heddle cc", r->program);
    if (s == HD_OK) {
        o->ran = true;
        o->timeout = done.timed_out;
        o->deadlock = seen.deadlock;
        o->out = keep_text(&done.out);
        o->out_len = done.out.len;
        o->out_total = done.out_total;
        o->err = keep_text(&done.err);
        o->err_len = done.err.len;
        o->err_total = done.err_total;
        o->waits = r->header.outcome == HD_OUTCOME_WAITS;
        hd_replay_describe(o, r->inputs.process ? ended(r, &seen, done.wait_status)
                                                : done.wait_status);
        fill_kinds(r, o);
        if (!o->timeout && o->deadlock)
            trace_of(r->data, r->len, o); /* for the threads that wait */
        if (!o->timeout && round->kept->ran && !round->kept->timeout)
            compare_traces(r, round->kept, o);
        o->verdict = judge(r, o, &seen, swap);
        if (o->verdict == HD_REPLAY_CONFIRMED && r->schedule.holds)
            s = hd_outcome_met(r->data, r->len, &r->origins, &o->access[!swap], &r->result->met,
                               r->err);
        HD_DEBUG_LINE(REPLAY, "%s order: %s; %s; %s", swap ? "second" : "first",
                      hd_replay_verdict_names[o->verdict], o->summary,
                      o->verdict == HD_REPLAY_CONFIRMED ? "" : r->result->reason);
    }
    hd_child_result_fini(&done);
    end_log(r);
    return s;
}

/* ---- all executions ---- */

static enum hd_status repeat(struct replay *r, bool swap)
{
    struct hd_replay_order *kept = &r->result->orders[swap];
    for (uint32_t i = 0; i < r->opts->times; i++) {
        struct hd_replay_order o = {0};
        const struct round round = {.swap = swap,
                                    .last = i == 0 || i + 1 == r->opts->times,
                                    .kept = kept,
                                    .started = hd_progress_now()};
        enum hd_status s = execute(r, &round, &o);
        if (s != HD_OK) {
            order_fini(&o);
            return s;
        }
        r->result->tried++;
        r->result->confirmed += o.verdict == HD_REPLAY_CONFIRMED;
        if (kept->ran && !hd_replay_equal(kept, &o))
            r->result->same = false;
        if (kept->ran)
            hd_replay_steady(kept, &o);
        order_fini(kept);
        *kept = o;
        if (o.verdict != HD_REPLAY_CONFIRMED)
            return HD_OK; /* the reason is that of this execution */
        if (took_long(r, &round))
            return HD_OK;
    }
    return HD_OK;
}

/* Processes that the program forked leave logs of their own. */
static void clean(const struct replay *r)
{
    remove_files(r, "");
    if (*r->dir)
        rmdir(r->dir);
}

/* One order is enough for a race: both threads stood there. What the other order does instead says
 * only that it cannot be shown. */
static void settle_orders(struct replay *r)
{
    struct hd_replay_result *result = r->result;
    if (!result->orders[0].ran || !result->orders[1].ran ||
        result->verdict == HD_REPLAY_CONFIRMED || result->orders[0].verdict != HD_REPLAY_CONFIRMED)
        return;
    char text[sizeof result->reason + 64];
    snprintf(text, sizeof text, "the other order of the accesses cannot be shown: %s",
             result->reason);
    note(r, text);
    result->verdict = HD_REPLAY_CONFIRMED;
    *result->reason = 0;
}

static enum hd_status run_all(struct replay *r)
{
    bool race = r->opts->witness->property == HD_PROPERTY_RACE;
    enum hd_status s = make_dir(r);
    r->result->same = true;
    r->result->verdict = HD_REPLAY_CONFIRMED;
    if (r->schedule.in_turn && s == HD_OK)
        s = repeat(r, r->schedule.turn);
    for (int swap = 0; s == HD_OK && !r->schedule.in_turn && swap < (race ? 2 : 1); swap++)
        if (!race || r->opts->orders & (swap ? HD_REPLAY_SECOND : HD_REPLAY_FIRST))
            if (r->result->verdict == HD_REPLAY_CONFIRMED)
                s = repeat(r, swap);
    struct hd_replay_order *o = r->result->orders;
    if (s == HD_OK)
        settle_orders(r);
    if (s == HD_OK && o[0].ran && o[1].ran)
        r->result->output_diff = hd_replay_diff(&o[0], &o[1]);
    return s;
}

/* Standard input as the recorded run had it: the kept file, an empty pipe where there was a pipe,
 * or nothing. */
static void open_input(struct replay *r)
{
    int p[2];
    r->input = -1;
    if (r->inputs.input) {
        r->input = memfd_create("heddle-input", MFD_CLOEXEC);
        size_t n = r->inputs.input_len;
        if (r->input >= 0 && write(r->input, r->inputs.input, n) != (ssize_t)n)
            note(r, "the standard input of the recorded run cannot be given back");
    } else if (r->inputs.fds && r->inputs.fds[0] == 'p' && !pipe2(p, O_CLOEXEC)) {
        close(p[1]);
        r->input = p[0];
    }
}

/* What the run had and we cannot give. */
static void name_missing(struct replay *r)
{
    const char *fds = r->inputs.fds;
    struct stat st;
    if (fds && !r->inputs.input && strchr("pfst?", fds[0]))
        note(r, "the standard input of the recorded run was not kept: the program reads an empty "
                "one");
    if (fds && (fds[1] == 't' || fds[2] == 't'))
        note(r, "the recorded run wrote to a terminal: here it writes to a file");
    if (r->inputs.cwd && stat(r->inputs.cwd, &st) < 0) {
        note(r, "the working directory of the recorded run is gone: the program runs in this one");
        r->inputs.cwd = NULL;
    }
}

enum hd_status hd_replay_run(const struct hd_replay_options *opts, struct hd_replay_result *result,
                             struct hd_err *err)
{
    struct replay r = {.opts = opts, .result = result, .err = err};
    *result = (struct hd_replay_result){.event = HD_EID_NONE, .met = HD_VEC_INIT(struct hd_origin)};
    hd_inputs_load(opts->trace, &r.inputs);
    enum hd_status s = hd_origins_load(opts->trace, &r.origins, err);
    if (s == HD_OK)
        s = find_program(&r);
    if (s == HD_OK && unchanged(&r)) {
        name_missing(&r);
        open_input(&r);
        s = hd_schedule_make(opts->trace, &r.origins, opts->witness, &r.schedule, err);
        r.schedule.holds = opts->holds && !r.schedule.in_turn;
        if (s == HD_OK)
            s = opts->gdb || opts->gdbserver ? debug(&r)
                : opts->stacks               ? take_stacks(&r)
                                             : run_all(&r);
        else if (s == HD_ERR_LIMIT) {
            set_reason(&r, r.schedule.outside ? HD_REPLAY_OUTSIDE : HD_REPLAY_IMPOSSIBLE, "%s",
                       err->text);
            s = HD_OK;
        }
        hd_schedule_fini(&r.schedule);
        forget_before(&r);
        clean(&r);
        if (r.input >= 0)
            close(r.input);
    }
    hd_origins_fini(&r.origins);
    hd_inputs_fini(&r.inputs);
    return s;
}

void hd_replay_result_fini(struct hd_replay_result *result)
{
    order_fini(&result->orders[0]);
    order_fini(&result->orders[1]);
    free_text(&result->output_diff);
    hd_names_fini(&result->notes);
    hd_vec_fini(&result->met);
}
