/* heddle run: which runs of the program are recorded, and when there are enough.
 *
 * One recording shows what one order of the threads led to, and prediction what follows from it.
 * What no order of these events shows (a worker that got no task) takes another recording. The
 * first one is the user's: its output, input and exit status are the program's. Later ones are made
 * aside, as replays are, and end when they show nothing new or have used up their share of time.
 */
#include "session/session_int.h"

#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "recording/kept_inputs.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST     8   /* recordings that we make unasked */
#define QUIET    3   /* so many later ones in a row with nothing new are enough */
#define LEAST    3.0 /* seconds of processor time that recordings and analyses may take anyway */
#define TIMES    5.0 /* all, with replays, may take so many times what it took to record the first */
#define IDLE     10.0 /* the same for the second one, if a thread had no work in the first */
#define SECONDS  2.0  /* by the clock, of a later one, and SHARE times what the first took */
#define SHARE    1.5
#define REST_MS  600 /* how long the analysis may go on when SIGTERM has ended the program */
#define MIN_STEP 16
#define TURNS    64 /* of a run under random, about */

struct runs {
    struct hd_session *s;
    off_t input_at;    /* where standard input stood at first */
    uint64_t events;   /* of the first recording */
    double first;      /* seconds by the clock: of the first one, with its analysis */
    double recorded;   /* processor time of the first one, without its analysis */
    double used, last; /* of all so far with their analyses, of the last of them */
    unsigned quiet;
    struct hd_omp_needs omp; /* of all recordings, the most; its team, of the first */
    bool alone;              /* the program had one thread only: there is no other order */
    const char *once;        /* why there is only one recording; NULL: there may be more */
};

/* ---- which ---- */

static bool unasked(const struct hd_session_options *o)
{
    return o->runs == 0;
}

/* How one recording is made. */
struct way {
    enum hd_policy_kind policy;
    int64_t round; /* division of OpenMP loops; -1: as threads come */
    uint32_t team; /* size of OpenMP teams that the program leaves open; 0: as it is */
};

/* Of recordings under several policies. The first run goes on as threads were created, which is
 * nearest to what the programmer has in mind. The second gives every worker something to do; the
 * others look elsewhere. */
static enum hd_policy_kind policy_of(uint64_t run)
{
    if (run < 2)
        return run ? HD_POLICY_SYNC : HD_POLICY_FIFO;
    return run % 2 ? HD_POLICY_RANDOM : HD_POLICY_PCT;
}

/* Rounds of parts: the first recording is one, though there may be nothing to divide in it. */
static uint64_t rounds_of_parts(const struct runs *r)
{
    return r->omp.parts ? r->omp.parts : r->omp.constructs ? 1 : 0;
}

/* Recordings that show each two parts of OpenMP constructs on different threads. */
static uint64_t divisions(const struct runs *r)
{
    return rounds_of_parts(r) + r->omp.constructs;
}

/* Recordings that OpenMP needs beside the others: divisions after the first, another team. */
static uint64_t for_openmp(const struct runs *r)
{
    uint64_t n = divisions(r);
    return (n > 1 ? n - 1 : 0) + (r->omp.team != 0);
}

static int64_t round_of(const struct runs *r, uint64_t run)
{
    uint64_t parts = rounds_of_parts(r);
    return (int64_t)(!parts || run < parts ? run : HD_OMP_CONSTRUCTS + run - parts);
}

/* Of a recording that knows nothing of others: every fourth divides constructs. */
static int64_t round_of_seed(uint64_t seed)
{
    uint64_t n = seed / 4 % (HD_OMP_CONSTRUCTS / 4);
    return (int64_t)(seed % 4 ? 3 * n + seed % 4 - 1 : HD_OMP_CONSTRUCTS + n);
}

/* Not much larger: programs have arrays for their threads. */
static uint32_t other_team(uint32_t team)
{
    return team < 4 ? team + 1 : team - 1;
}

/* Divisions are made under fifo, where each member comes to its own parts. */
static struct way way_of(const struct runs *r, uint64_t run)
{
    const struct hd_session_options *o = r->s->o;
    uint64_t more = for_openmp(r);
    if (o->policy >= 0)
        return (struct way){(enum hd_policy_kind)o->policy, round_of_seed(o->seed + run), 0};
    if (!unasked(o))
        return (struct way){policy_of(run), round_of(r, run), 0};
    if (run == 0 || run < divisions(r))
        return (struct way){HD_POLICY_FIFO, round_of(r, run), 0};
    if (run <= more)
        return (struct way){HD_POLICY_FIFO, 0, other_team(r->omp.team)};
    run -= more;
    return (struct way){policy_of(run), run % 2 ? -1 : (int64_t)run, 0};
}

/* For the OpenMP library of the program; kept in the recording like all of HEDDLE_RT_. */
static void set_way(const struct way *way)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)way->round);
    setenv("HEDDLE_RT_OMP_ROUND", text, 1);
    snprintf(text, sizeof text, "%u", way->team);
    setenv("HEDDLE_RT_OMP_TEAM", text, 1);
}

static uint64_t number_of(const struct runs *r, int64_t round)
{
    uint64_t n = (uint64_t)round;
    return n < HD_OMP_CONSTRUCTS ? n : n - HD_OMP_CONSTRUCTS + rounds_of_parts(r);
}

static void name_schedule(const struct runs *r, const struct way *way, uint64_t seed)
{
    struct hd_session *s = r->s;
    bool drawn = way->policy == HD_POLICY_PCT || way->policy == HD_POLICY_RANDOM;
    s->shown_by = drawn ? hd_report_format(s->r, "%s, seed %llu", hd_policy_names[way->policy],
                                           (unsigned long long)seed)
                        : hd_policy_names[way->policy];
    if (way->team)
        s->shown_by = hd_report_format(s->r, "%s, with OMP_NUM_THREADS=%u", s->shown_by, way->team);
    else if (divisions(r) > 1 && way->round >= 0)
        s->shown_by = hd_report_format(s->r, "%s, division %llu of OpenMP's work", s->shown_by,
                                       (unsigned long long)number_of(r, way->round) + 1);
}

/* The changes of pct are spread over the length of the run, as far as it is known. */
static uint32_t steps_of(const struct runs *r)
{
    const struct hd_session_options *o = r->s->o;
    if (o->steps)
        return o->steps;
    if (!r->events)
        return HD_SESSION_STEPS;
    return r->events < MIN_STEP     ? MIN_STEP
           : r->events < UINT32_MAX ? (uint32_t)r->events
                                    : UINT32_MAX;
}

/* The same for random: a short run has few steps between which a thread can be stopped. */
static uint64_t quantum_of(const struct runs *r)
{
    uint64_t n = r->events / TURNS;
    if (r->s->o->quantum)
        return r->s->o->quantum;
    return !r->events || n > HD_SESSION_QUANTUM ? HD_SESSION_QUANTUM : n ? n : 1;
}

/* ---- one recording ---- */

static void close_all(int fds[3])
{
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* The descriptors of a later run: what the first one read, from where it began; the user does not
 * see what it writes. */
static bool open_aside(const struct runs *r, int fds[3])
{
    bool file = hd_inputs_fd(STDIN_FILENO) == 'f';
    fds[0] = open(file ? "/proc/self/fd/0" : "/dev/null", O_RDONLY | O_CLOEXEC);
    fds[1] = memfd_create("heddle-output", MFD_CLOEXEC);
    fds[2] = memfd_create("heddle-output", MFD_CLOEXEC);
    bool there = fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0 &&
                 (!file || lseek(fds[0], r->input_at, SEEK_SET) >= 0);
    if (!there)
        close_all(fds);
    return there;
}

/* What the first run had that no other can have; NULL: nothing. */
static const char *not_again(const struct hd_record_result *rec)
{
    char in = hd_inputs_fd(STDIN_FILENO);
    if (rec->told)
        return "it was told to end";
    if (rec->timed_out)
        return "it was ended at its time-out";
    if (rec->had_clients)
        return "it had clients, who cannot be had again";
    if (rec->had_signals)
        return "it got signals from outside";
    if (rec->read_input && in != 'f' && in != 'n' && in != '-')
        return "it read its standard input, which cannot be had again";
    return NULL;
}

static void see_first(struct runs *r, const struct hd_record_result *rec, bool family)
{
    hd_session_ended(r->s, rec->wait_status);
    r->s->r->cut = r->s->r->cut || (rec->timed_out && !r->s->o->record_timeout);
    r->once = not_again(rec);
    HD_DEBUG_LINE(SESSION, "first run: %llu events, %llu threads%s%s",
                  (unsigned long long)rec->events, (unsigned long long)rec->threads,
                  r->once ? "; not again: " : "", r->once ? r->once : "");
    r->events = rec->events;
    r->alone = rec->threads == 1 && !family;
}

static void see_openmp(struct runs *r, const struct hd_omp_needs *n)
{
    r->omp.parts = n->parts > r->omp.parts ? n->parts : r->omp.parts;
    r->omp.constructs = n->constructs > r->omp.constructs ? n->constructs : r->omp.constructs;
    r->omp.team = r->omp.team ? r->omp.team : n->team;
}

/* A later run came to another end than the first. */
static void see_later(struct runs *r, const struct hd_record_result *rec)
{
    struct hd_session *s = r->s;
    int sig = WIFSIGNALED(rec->wait_status) ? WTERMSIG(rec->wait_status) : 0;
    if (rec->timed_out)
        hd_report_add(s->r, &s->r->notes,
                      hd_report_format(s->r, "%s: the recording was ended with its share of time",
                                       s->shown_by));
    else if (sig && !rec->told && rec->wait_status != s->wait_status)
        hd_report_add(s->r, &s->r->notes,
                      hd_report_format(s->r, "under %s the program was killed by SIG%s",
                                       s->shown_by, sigabbrev_np(sig)));
}

/* The program was ended from outside, and might have gone on for ever. */
static bool was_stopped(const struct hd_record_result *rec)
{
    int sig = rec->ran && WIFSIGNALED(rec->wait_status) ? WTERMSIG(rec->wait_status) : 0;
    return rec->ended_by || rec->timed_out || sig == SIGINT || sig == SIGTERM || sig == SIGHUP;
}

static enum hd_status record(struct runs *r, uint64_t run, const char *path,
                             struct hd_names *family, bool *ended)
{
    struct hd_session *s = r->s;
    const struct hd_session_options *o = s->o;
    int fds[3];
    const struct way way = way_of(r, run);
    struct hd_record_opts opts = {
        .out = path,
        .argv = o->argv,
        .policy = way.policy,
        .seed = o->seed + run,
        .quantum = quantum_of(r),
        .depth = o->depth,
        .steps = steps_of(r),
        .exit_steps = o->exit_steps,
        .keep_all = o->keep_all,
        .max_size = o->max_size,
        .timeout = o->record_timeout ? o->record_timeout : o->budget / 2,
        .family = family,
        .fds = run ? fds : NULL,
        .share = hd_session_time_left(s),
        .say = run ? NULL : o->say,
        .say_ctx = o->progress_ctx,
    };
    struct hd_record_result rec;
    name_schedule(r, &way, opts.seed);
    set_way(&way);
    if (run && !open_aside(r, fds))
        return hd_err_set(s->err, HD_ERR_IO, "cannot open what a recording needs");
    HD_DEBUG_LINE(SESSION, "run %llu: %s, quantum %llu, steps %u", (unsigned long long)run + 1,
                  s->shown_by, (unsigned long long)opts.quantum, opts.steps);
    double started = hd_progress_now();
    hd_session_tell(s, HD_STAGE_RECORDING, run, unasked(o) ? MOST + for_openmp(r) : o->runs);
    enum hd_status status = hd_record_run(&opts, &rec, s->err);
    s->r->record_seconds += hd_progress_now() - started;
    s->stopped = was_stopped(&rec) ? hd_progress_now() - started : 0;
    if (status == HD_OK) {
        hd_session_notes(s, &rec.info);
        if (rec.random_addresses)
            hd_report_add(s->r, &s->r->notes, "the kernel keeps addresses random: runs may differ");
    }
    if (!way.team)
        see_openmp(r, &rec.omp);
    if (rec.ran && !run)
        see_first(r, &rec, family->count > 0);
    else if (rec.ran)
        see_later(r, &rec);
    if (rec.ended_by) {
        s->ended_by = rec.ended_by;
        s->r->interrupted = true;
    }
    *ended = run && rec.told;
    if (rec.ended_by == SIGTERM)
        hd_interrupt_after(REST_MS);
    hd_record_result_fini(&rec);
    if (run)
        close_all(fds);
    return status;
}

/* One recorded run, with all its processes. *ended: the user has seen enough. */
static enum hd_status run_once(struct runs *r, uint64_t run, bool *ended)
{
    struct hd_session *s = r->s;
    char name[32], path[PATH_MAX];
    struct hd_names family = {0};
    hd_session_name(run + 1, name, sizeof name);
    enum hd_status status = hd_session_path(s, name, path, sizeof path);
    double cpu = hd_session_cpu();
    if (status == HD_OK)
        status = record(r, run, path, &family, ended);
    if (!run)
        r->recorded = hd_session_cpu() - cpu;
    if (status == HD_OK && !*ended)
        status = hd_session_take(s, name, NULL, s->err);
    for (uint32_t i = 0;
         status == HD_OK && !*ended && i < family.count && !hd_interrupt_requested(); i++) {
        const char *file = hd_names_text(&family, i), *slash = strrchr(file, '/');
        status = hd_session_take(s, slash ? slash + 1 : file, NULL, s->err);
    }
    hd_names_fini(&family);
    return status;
}

/* ---- how many ---- */

static bool enough(struct runs *r, uint64_t done)
{
    struct hd_session *s = r->s;
    if (hd_interrupt_requested() || s->ended_by || r->alone)
        return true;
    if (unasked(s->o) && s->end != 0 && hd_progress_now() >= s->end)
        return true;
    if (!unasked(s->o))
        return done >= s->o->runs;
    if (s->o->policy >= 0)
        return true;
    uint64_t more = for_openmp(r);
    return done > more && (done >= MOST + more || r->quiet >= QUIET);
}

/* There is processor time for one more. Races of a thread that had no work are in no recording. */
static bool is_affordable(const struct runs *r, uint64_t done)
{
    char who[64];
    double with = r->used + r->last;
    double least = done == 1 && hd_idle_list(&r->s->idle, who, sizeof who) ? IDLE : LEAST;
    return with <= least || with + r->s->replays.cpu <= TIMES * r->recorded;
}

/* Why there is no further recording although there are not enough; NULL: there is one. If the last
 * one could be read in part only, less of the next could be. */
static const char *hindered(const struct runs *r, uint64_t done)
{
    if (r->once)
        return r->once;
    bool late = unasked(r->s->o) && (r->s->in_part || !is_affordable(r, done));
    return late ? "more would take too long (--runs N makes N)" : NULL;
}

/* One recording with its analysis and replays. */
static enum hd_status run_next(struct runs *r, uint64_t run, bool *ended)
{
    struct hd_session *s = r->s;
    double started = hd_progress_now(), replayed = s->r->replay_seconds;
    double cpu = hd_session_cpu() - s->replays.cpu;
    s->deadline = run && unasked(s->o) ? started + SECONDS + SHARE * r->first : 0;
    if (s->o->budget > 0 && (!run || !unasked(s->o)))
        s->end = started + s->o->budget;
    if (s->deadline && s->end != 0 && s->end < s->deadline)
        s->deadline = s->end;
    enum hd_status status = run_once(r, run, ended);
    r->last = hd_session_cpu() - s->replays.cpu - cpu;
    r->used += r->last;
    if (!run)
        r->first = hd_progress_now() - started - (s->r->replay_seconds - replayed);
    return status;
}

/* A later recording could not be made: what the earlier ones showed stays. */
static enum hd_status go_without(struct runs *r)
{
    struct hd_session *s = r->s;
    hd_report_add(
        s->r, &s->r->notes,
        hd_report_format(s->r, "a further recording could not be made: %s", s->err->text));
    s->failed = true;
    return HD_OK;
}

/* Parts of OpenMP loops that one thread had in every recording were not compared. */
static void lacks_rounds(struct runs *r, uint64_t done)
{
    struct hd_session *s = r->s;
    hd_report_add(s->r, &s->r->notes,
                  hd_report_format(s->r,
                                   "OpenMP's work can be divided among threads in other ways: %llu "
                                   "of %llu recordings that show each two parts on different "
                                   "threads were made (--runs %llu makes all)",
                                   (unsigned long long)done, (unsigned long long)divisions(r),
                                   (unsigned long long)divisions(r)));
    s->r->cut = s->r->cut || unasked(s->o);
}

static enum hd_status run_all(struct runs *r)
{
    struct hd_session *s = r->s;
    enum hd_status status = HD_OK;
    const char *why = NULL;
    bool ended = false;
    uint64_t done = 0;
    while (status == HD_OK && !ended &&
           (!done || (!enough(r, done) && !(why = hindered(r, done))))) {
        uint64_t known = s->news;
        status = run_next(r, done, &ended);
        if (status == HD_ERR_IO && done) {
            status = go_without(r);
            break;
        }
        r->quiet = !done || s->news > known ? 0 : r->quiet + 1;
        done++;
        HD_DEBUG_LINE(SESSION, "recording %llu: %llu new findings, %.3f s of processor time",
                      (unsigned long long)done, (unsigned long long)(s->news - known), r->last);
    }
    HD_DEBUG_LINE(SESSION, "no further recording: %s",
                  why     ? why
                  : ended ? "the program ended it"
                          : "nothing new, or enough were made");
    s->deadline = 0;
    if (done < divisions(r) && status == HD_OK)
        lacks_rounds(r, done);
    if (why && status == HD_OK)
        hd_report_add(s->r, &s->r->notes,
                      done == 1 ? hd_report_format(s->r, "recorded once: %s", why)
                                : hd_report_format(s->r, "recorded %llu times: %s",
                                                   (unsigned long long)done, why));
    return status;
}

enum hd_status hd_session_run(const struct hd_session_options *options,
                              struct hd_session_result *result, struct hd_err *err)
{
    *result = (struct hd_session_result){0};
    struct runs r = {.s = hd_session_new(options, NULL)};
    r.s->err = err;
    r.input_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    enum hd_status status = run_all(&r);
    if (status == HD_OK)
        status = hd_session_finish(r.s, result, err);
    hd_session_free(r.s);
    return status;
}
