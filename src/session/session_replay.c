/* Replays of what was found in a recording, and the time for them.
 *
 * An execution takes about as long as the program, and each finding wants several. All replays of a
 * session together may take as long as everything else, or `replay_time`. Where that is not enough
 * for all executions, the first finding of each variable comes before the others, each gets fewer
 * executions, and what no time is left for stays a prediction with this reason.
 */
#include "session/session_int.h"

#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "detect/memory_order.h"
#include "replay/replay.h"
#include "report/make/replayed.h"

#include <string.h>
#include <sys/resource.h>

#define LEAST  60.0 /* seconds that replays may take in any case */
#define OTHERS 0.75 /* share of the time for all but the first finding of a variable */
#define FIRSTS 0.5  /* share of what is left that these first ones may use for more executions */
#define MANY   8    /* findings: the others are not run again for what one of another one shows */
#define ONE    0.25 /* share of the time after which one execution is ended */
#define SLOW   5.0  /* but not before it took so many times what the recordings took */

#define NO_TIME "not replayed: the time for replays is used up"

/* ---- what a replay means ---- */

/* Threads that a library starts have orders between them that no trace of ours shows. What is
 * predicted in spite of them and does not come about may be no race at all: say so. */
static void doubt(struct hd_session *s, struct hd_finding *f)
{
    if (!s->start_threads.n || f->status != HD_FINDING_PREDICTED || !f->reason)
        return;
    f->reason =
        hd_report_format(s->r, "%s; it may be no race: %s starts threads and orders them unseen",
                         f->reason, s->start_threads.items[0]);
    f->counts = f->counts == HD_COUNTS_ERROR ? HD_COUNTS_OPEN : f->counts;
}

/* The replay has the accesses apart, so unseen code has a part in where or when they are. When the
 * program was recorded they met, and only such code can have put one before the other there: */
static bool met_unordered(const struct hd_trace *t, const struct hd_witness *w)
{
    return w->property == HD_PROPERTY_RACE &&
           hd_memory_order_unordered(t, w->a < w->b ? w->a : w->b, w->a < w->b ? w->b : w->a);
}

/* A checked witness counts unless a replay contradicts it. Of what contradicts it, only a run that
 * followed the whole schedule shows that there is no such race, and only where the recorded run has
 * none either; the rest leaves it open. */
static void weigh(const struct hd_session *s, const struct hd_trace *t, const struct hd_witness *w,
                  struct hd_finding *f)
{
    static const char *const opens[] = {"diverged", "timeout", "outside", "failed"};
    bool apart = f->verdict && !strcmp(f->verdict, "apart");
    f->counts = HD_COUNTS_ERROR;
    if (f->status != HD_FINDING_PREDICTED)
        return;
    for (size_t i = 0; f->verdict && i < sizeof opens / sizeof *opens; i++)
        if (!strcmp(f->verdict, opens[i]))
            f->counts = HD_COUNTS_OPEN;
    HD_DEBUG_LINE(SESSION, "%s is only predicted: %s", f->id,
                  f->verdict ? f->verdict : "not tried");
    f->refuted = apart && !met_unordered(t, w);
    if (f->refuted)
        f->counts = HD_COUNTS_NO;
    else if (apart) {
        f->counts = HD_COUNTS_OPEN;
        f->reason = hd_report_format(
            s->r, "nothing that was seen orders them where they were recorded; replayed, %s",
            f->reason);
    }
    if (s->o->confirmed_only)
        f->counts = HD_COUNTS_NO;
}

/* ---- time ---- */

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

double hd_session_cpu(void)
{
    struct rusage own = {0}, others = {0};
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    return seconds_of(&own.ru_utime) + seconds_of(&own.ru_stime) + seconds_of(&others.ru_utime) +
           seconds_of(&others.ru_stime);
}

/* Seconds for all replays of the session; 0: no end. */
static double allowance(const struct hd_session *s)
{
    double now = hd_progress_now();
    double rest = s->earlier_seconds + now - s->started - s->r->replay_seconds;
    if (s->o->replay_time >= 0 || s->o->budget > 0)
        return s->o->replay_time > 0 ? s->o->replay_time : 0;
    return rest > LEAST ? rest : LEAST;
}

/* Seconds that are left for the finding in hand and all after it. */
static double time_left(const struct hd_session *s)
{
    double all = allowance(s), left = 1e18;
    if (all > 0)
        left = (s->replays.first ? all : OTHERS * all) - s->r->replay_seconds;
    if (s->end != 0 && left > s->end - hd_progress_now())
        left = s->end - hd_progress_now();
    return left;
}

/* Of one execution: what those before it took, or else what a recording did; 0: not known. */
static double one_execution(const struct hd_session *s)
{
    if (s->replays.execution > 0 || !s->r->runs)
        return s->replays.execution;
    return s->r->record_seconds / (double)s->r->runs;
}

bool hd_session_has_time(const struct hd_session *s)
{
    return time_left(s) > 0;
}

/* There are many, and the user did not say how long replays may take. */
static bool are_many(const struct hd_session *s)
{
    return s->replays.own >= MANY && s->o->replay_time < 0 && s->o->budget <= 0;
}

/* How often the finding in hand is run. */
struct effort {
    uint32_t times;  /* each order */
    unsigned orders; /* HD_REPLAY_* */
};

/* Fewer than asked for if there are many, or all that wait cannot have so many. */
static struct effort effort_for(const struct hd_session *s, const struct hd_witness *w)
{
    bool race = w->property == HD_PROPERTY_RACE;
    struct effort e = {s->o->times, race ? HD_REPLAY_FIRST | HD_REPLAY_SECOND : HD_REPLAY_FIRST};
    size_t waiting = s->replays.first ? s->replays.firsts : s->replays.waiting;
    if (are_many(s))
        e.times = 1;
    if (s->replays.waiting < 2 || one_execution(s) == 0)
        return e;
    double left = time_left(s) * (s->replays.first ? FIRSTS : 1);
    double each = left / (one_execution(s) * (double)(waiting ? waiting : 1));
    double orders = race ? 2 : 1;
    if (each < orders * e.times)
        e.times = each >= 2 * orders ? (uint32_t)(each / orders) : 1;
    if (each < orders)
        e.orders = HD_REPLAY_FIRST;
    return e;
}

/* Seconds for one of `n` executions: what is asked for, or a share of what the budget leaves. A
 * program that ran too long when it was recorded does so in every replay: one that had to be
 * stopped gets a few times what it took to come so far. One that hangs must not take the time of
 * all the others. */
double hd_session_execution_time(const struct hd_session *s, size_t n)
{
    double most = s->o->timeout, all = allowance(s), slow = SLOW * s->r->record_seconds;
    if (s->stopped > 0 && (most == 0 || most > 2 + 3 * s->stopped))
        most = 2 + 3 * s->stopped;
    if (all > 0 && s->replays.waiting > 1) {
        double one = ONE * all > slow ? ONE * all : slow;
        most = most == 0 || most > one ? one : most;
    }
    if (s->end == 0)
        return most;
    double left = s->end - hd_progress_now(), share = left > 0 ? left / (double)(n ? n : 1) : 0;
    double least = 4 * s->replays.execution > 0.25 ? 4 * s->replays.execution : 0.25;
    share = share > least ? share : least;
    return most > 0 && most < share ? most : share;
}

/* ---- replay ---- */

/* Why the finding is not replayed at all; NULL: it is. */
static const char *why_no_replay(const struct hd_session *s)
{
    if (s->o->times == 0)
        return "replay was not asked for";
    if (hd_interrupt_requested())
        return "not replayed: interrupted";
    if (s->end != 0 && hd_progress_now() >= s->end)
        return "not replayed: the time budget is used up";
    if (hd_session_has_time(s))
        return NULL;
    return NO_TIME;
}

static void count_executions(struct hd_session *s, const struct hd_replay_result *result,
                             double seconds)
{
    struct hd_session_replays *r = &s->replays;
    if (!result->tried || result->verdict == HD_REPLAY_TIMEOUT)
        return;
    r->executions += result->tried;
    r->seconds += seconds;
    r->execution = r->seconds / (double)r->executions;
}

/* False: not all was right, and the finding is as it was before. Then `held` was too much. */
static bool replay_once(struct hd_session *s, const struct hd_trace *t, const struct hd_witness *w,
                        const struct effort effort, int held, struct hd_finding *f)
{
    struct hd_replay_options opts = {
        .trace = t,
        .witness = w,
        .argv = s->o->argv,
        .dir = s->o->dir,
        .orders = effort.orders,
        .times = effort.times,
        .holds = held >= 0,
        .patience = HD_SESSION_PATIENCE,
        .timeout = hd_session_execution_time(s, (size_t)2 * effort.times * s->replays.waiting),
    };
    struct hd_replay_result result;
    struct hd_err err = {0};
    double started = hd_progress_now(), cpu = hd_session_cpu();
    enum hd_status status = hd_replay_run(&opts, &result, &err);
    double seconds = hd_progress_now() - started;
    s->r->replay_seconds += seconds;
    s->replays.cpu += hd_session_cpu() - cpu;
    HD_DEBUG_LINE(SESSION, "%s: replayed in %.3f s, %u of %u confirmed, %zu places met", f->id,
                  seconds, result.confirmed, result.tried, result.met.len);
    bool good = status == HD_OK && result.verdict == HD_REPLAY_CONFIRMED && result.confirmed;
    if (status == HD_OK)
        count_executions(s, &result, seconds);
    if (held >= 0 && !good && status != HD_ERR_STOPPED) {
        hd_replay_result_fini(&result);
        return false;
    }
    if (good)
        hd_met_add(s->replays.met, w, held, &result.met, f->id);
    if (status == HD_OK) {
        hd_replayed_apply(s->r, f, &result);
    } else if (status == HD_ERR_STOPPED) {
        f->reason = "not replayed: interrupted";
    } else {
        f->reason = hd_report_format(s->r, "not replayed: %s", err.text);
        f->verdict = "failed";
        s->failed = true;
    }
    /* What could not be given back to the program matters only when something went wrong. */
    for (uint32_t i = 0; f->status != HD_FINDING_CONFIRMED && i < result.notes.count; i++)
        hd_report_add(s->r, &s->r->notes, hd_names_text(&result.notes, i));
    hd_replay_result_fini(&result);
    return true;
}

/* A replay of another finding came to this race, too. */
static void take_met(struct hd_finding *f, const char *id)
{
    HD_DEBUG_LINE(SESSION, "%s: met in the replay of %s", f->id, id);
    f->status = HD_FINDING_CONFIRMED;
    f->replays_tried = f->replays_confirmed = 1;
    f->met_in = id;
    f->reason = NULL;
}

/* Where findings are many, or there is time for one execution of each at most, one serves as many
 * findings as it can. */
static void replay(struct hd_session *s, const struct hd_trace *t, const struct hd_witness *w,
                   struct hd_finding *f)
{
    struct effort effort = effort_for(s, w);
    bool one = (effort.times == 1 && effort.orders == HD_REPLAY_FIRST) || are_many(s);
    const char *reason = why_no_replay(s);
    const char *met = one || reason ? hd_met_find(s->replays.met, w) : NULL;
    if (met) {
        take_met(f, met);
        return;
    }
    f->reason = reason;
    if (reason) {
        s->replays.left_out += !strcmp(reason, NO_TIME);
        return;
    }
    int held = one ? hd_met_hold(s->replays.met, w) : -1;
    s->replays.own++;
    const struct effort hold = {1, held == 0 ? HD_REPLAY_SECOND : HD_REPLAY_FIRST};
    if (held < 0 || !replay_once(s, t, w, hold, held, f))
        replay_once(s, t, w, effort, -1, f);
}

void hd_session_try(struct hd_session *s, const struct hd_trace *t, const struct hd_witness *w,
                    struct hd_finding *f)
{
    replay(s, t, w, f);
    weigh(s, t, w, f);
    doubt(s, f);
}

/* ---- order ---- */

bool hd_session_replays_first(struct hd_session *s, const struct hd_witness *w,
                              const char *variable)
{
    size_t known = s->replays.variables.count;
    if (w->property != HD_PROPERTY_RACE || !variable)
        return true;
    hd_names_add(&s->replays.variables, variable, strlen(variable));
    return s->replays.variables.count > known;
}

void hd_session_replays_note(struct hd_session *s)
{
    unsigned long long n = s->replays.left_out;
    if (n)
        hd_report_add(s->r, &s->r->notes,
                      hd_report_format(s->r,
                                       "%llu %s not replayed: the time for replays is used up "
                                       "(heddle replay ID does one, --replay-time none all)",
                                       n, n == 1 ? "finding was" : "findings were"));
}
