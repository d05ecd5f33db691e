#include "record/record.h"

#include "abi/rt_arrivals.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/process.h"
#include "base/progress.h"
#include "record/forked.h"
#include "record/preload.h"
#include "record/program.h"
#include "record/recording_finish.h"
#include "record/ring.h"
#include "record/stall.h"
#include "recording/kept_inputs.h"

#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *const hd_policy_names[] = {
#define POLICY_NAME(kind, name, number) [number] = #name,
    HD_POLICIES(POLICY_NAME)
#undef POLICY_NAME
};

static volatile sig_atomic_t child_pid, late, told; /* told: SIGINT or SIGTERM went to the child */
static volatile sig_atomic_t unseen;                /* the user does not know of the child */

/* A signal often comes to us and to the program, or twice. While the trace is written, only the
 * third one ends us; what is only for the user's information is left out from the first. */
static void pass_on(int sig)
{
    if (child_pid > 0) {
        if (sig == SIGINT || sig == SIGTERM)
            told = sig;
        kill((pid_t)child_pid, unseen ? SIGKILL : sig);
        return;
    }
    hd_interrupt_by(sig);
    if (++late == 3) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
#define N_PASSED (sizeof passed / sizeof *passed)

/* The program gets a moment to end in its own way. */
#define GRACE 1.0

/* The same for so many seconds at most, and when it was told SIGTERM for GRACE. False: it still
 * runs. */
static bool wait_until_over(pid_t pid, double seconds, struct hd_stall *stall, int *status)
{
    double end = hd_progress_now() + seconds;
    bool asked = false;
    int gone = hd_process_watch(pid); /* old kernels have none: then we look */
    for (;;) {
        bool over = hd_process_ended(pid, status);
        double now = hd_progress_now();
        if (!asked && told == SIGTERM && end > now + GRACE)
            end = now + GRACE;
        asked = told == SIGTERM;
        if (over || now >= end) {
            if (gone >= 0)
                close(gone);
            return over;
        }
        hd_stall_look(stall, now);
        double left = end - now < 1 ? end - now : 1;
        struct pollfd p = {gone, POLLIN, 0};
        poll(&p, 1, gone < 0 ? 20 : (int)(left * 1000) + 1);
    }
}

#define FOR_EVER 1e18

static int wait_for_end(pid_t pid, const struct hd_record_opts *opts, const struct hd_ring *ring,
                        bool *timed_out)
{
    struct hd_stall stall = {.ring = ring, .pid = pid, .say = opts->say, .ctx = opts->say_ctx};
    int status = 0;
    double limit = opts->timeout > 0 ? opts->timeout : FOR_EVER;
    bool over = wait_until_over(pid, opts->fds && opts->share < limit ? opts->share : limit, &stall,
                                &status);
    *timed_out = !over && told != SIGTERM;
    if (*timed_out && !opts->fds) {
        kill(pid, SIGTERM);
        over = wait_until_over(pid, GRACE, &stall, &status);
    }
    if (over)
        return status;
    kill(pid, SIGKILL);
    return hd_process_wait(pid);
}

/* What is ignored in the program: what was ignored in us before we took signals over. */
static void ignored_before(const struct sigaction *old, sigset_t *set)
{
    struct sigaction now;
    sigemptyset(set);
    for (int sig = 1; sig < NSIG; sig++)
        if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
            sigaddset(set, sig);
    for (size_t i = 0; i < N_PASSED; i++)
        if (old[i].sa_handler == SIG_IGN)
            sigaddset(set, passed[i]);
}

/* No signal gets lost while we do not know the child. */
static enum hd_status start(const struct hd_record_opts *opts, const struct hd_ring *ring,
                            const struct sigaction *old, pid_t *pid, struct hd_err *err)
{
    char log[64];
    sigset_t block, before, ignored;
    struct hd_process_env env;
    struct hd_process_fd fds[3];
    for (int i = 0; opts->fds && i < 3; i++)
        fds[i] = (struct hd_process_fd){opts->fds[i], i};
    hd_ring_path(ring, log, sizeof log);
    hd_process_env_init(&env, environ);
    hd_process_env_set(&env, HD_LOG_ENV, log);
    if (ring->header->preload)
        hd_preload_into(&env);
    ignored_before(old, &ignored);
    sigemptyset(&block);
    for (size_t i = 0; i < N_PASSED; i++)
        sigaddset(&block, passed[i]);
    sigprocmask(SIG_BLOCK, &block, &before);
    struct hd_process p = {.file = opts->argv[0],
                           .argv = opts->argv,
                           .env = env.list,
                           .fds = fds,
                           .n_fds = opts->fds ? 3 : 0,
                           .own_group = opts->fds != NULL, /* Ctrl-C is for us */
                           .tied = true, /* however we end, it does not stay behind */
                           .fixed_addresses = true,
                           .ignored = &ignored,
                           .mask = &before};
    enum hd_status s = hd_process_start(&p, pid, err);
    child_pid = s == HD_OK ? *pid : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    hd_process_env_fini(&env);
    return s;
}

static enum hd_status refuse_late(const char *name, bool preload, struct hd_err *err)
{
    if (preload)
        return hd_err_set(err, HD_ERR_INPUT,
                          "%s started a program without LD_PRELOAD, which it needs: no lock of its "
                          "instrumented libraries would be seen",
                          name);
    return hd_err_set(
        err, HD_ERR_INPUT,
        "%s is not linked with heddle cc and loaded an instrumented library, of which "
        "no lock would be seen: run it with --preload",
        name);
}

static enum hd_status run(const struct hd_record_opts *opts, struct hd_ring *ring,
                          struct hd_rec_writer *out, const struct sigaction *old,
                          struct hd_record_result *result, struct hd_err *err)
{
    pid_t pid;
    enum hd_status s = start(opts, ring, old, &pid, err);
    if (s != HD_OK)
        return s;
    hd_ring_start(ring, out);
    result->wait_status = wait_for_end(pid, opts, ring, &result->timed_out);
    child_pid = 0; /* from here on signals are for us */
    if (opts->fds)
        kill(-pid, SIGKILL); /* and what it may have left running */
    result->ran = true;
    result->told = told;
    bool killed = WIFSIGNALED(result->wait_status) && !result->timed_out &&
                  (WTERMSIG(result->wait_status) == told || told == SIGTERM);
    bool missed = !(ring->header->took & HD_TOOK_SIGNAL); /* it ended when the signal came */
    if (killed || missed || opts->fds)
        result->ended_by = told;
    hd_ring_finish(ring);
    return ring->header->late ? refuse_late(opts->argv[0], ring->header->preload, err) : HD_OK;
}

static enum hd_status refuse(const char *name, const char *program, struct hd_err *err)
{
    switch (hd_program_kind(program)) {
    case HD_PROGRAM_NOT:
        return hd_err_set(err, HD_ERR_INPUT,
                          "%s is not instrumented: compile and link it with heddle cc", name);
    case HD_PROGRAM_TSAN:
        return hd_err_set(err, HD_ERR_INPUT,
                          "%s is linked with ThreadSanitizer's runtime: link it with heddle cc",
                          name);
    default:
        return HD_OK;
    }
}

/* Where other processes of the program put their logs: beside the recording. */
static void name_family(const char *out, char *name, size_t size)
{
    char here[PATH_MAX] = "";
    if (out[0] != '/' && !getcwd(here, sizeof here))
        return;
    int n = snprintf(name, size, "%s%s%s.raw-%d", here, *here ? "/" : "", out, (int)getpid());
    if (n < 0 || (size_t)n >= size)
        *name = 0;
}

static void keep_family(const struct hd_record_opts *opts, const char *logs, uint32_t *took,
                        struct hd_record_result *result)
{
    struct hd_names own = {0};
    struct hd_remarks *remarks = &result->info.remarks;
    hd_forked_keep(logs, opts->out, opts->keep_all, opts->family ? opts->family : &own, remarks,
                   took);
    hd_forked_tell(&own, remarks);
    hd_names_fini(&own);
}

static enum hd_status record(const struct hd_record_opts *opts, const char *program,
                             const struct sigaction *old, struct hd_record_result *result,
                             struct hd_err *err)
{
    struct hd_log_header settings = {
        .policy = (uint32_t)opts->policy,
        .seed = opts->seed,
        .quantum = opts->quantum,
        .depth = opts->depth,
        .steps = opts->steps,
        .exit_steps = opts->exit_steps,
        .limit = opts->limit,
        .max_size = opts->max_size,
        .entropy = opts->seed,
        .preload = hd_preload_wanted(program),
    };
    struct hd_bytes input = {0};
    uint32_t took = 0;
    bool have_input = hd_inputs_read(opts->fds ? opts->fds[0] : 0, &input);
    name_family(opts->out, settings.family, sizeof settings.family);
    struct hd_outfile out;
    struct hd_ring ring;
    struct hd_rec_writer writer;
    enum hd_status s = hd_outfile_open(opts->out, &out, err);
    bool open = s == HD_OK;
    if (open)
        s = hd_ring_open(&ring, &settings, err);
    if (s == HD_OK) {
        hd_rec_writer_init(&writer, fileno(out.file));
        ring.max_size = opts->max_size;
        HD_DEBUG_LINE(RECORD, "start %s: policy %u, seed %llu", program, settings.policy,
                      (unsigned long long)settings.seed);
        s = run(opts, &ring, &writer, old, result, err);
        HD_DEBUG_LINE(RECORD, "end of %s: %llu bytes kept, outcome %u", program,
                      (unsigned long long)writer.size, (unsigned)ring.header->outcome);
        took = ring.header->took;
        result->omp = ring.header->omp;
        if (s == HD_OK)
            s = hd_recording_finish_write(opts, program, have_input ? &input : NULL, &ring, &writer,
                                          result, err);
        hd_rec_writer_fini(&writer);
        hd_ring_close(&ring);
    }
    if (s == HD_OK)
        s = hd_outfile_commit(&out, err);
    else if (open)
        hd_outfile_discard(&out);
    hd_bytes_fini(&input);
    if (s == HD_OK && *settings.family)
        keep_family(opts, settings.family, &took, result);
    result->read_input = took & HD_TOOK_INPUT;
    result->had_clients = took & HD_TOOK_CLIENT;
    result->had_signals = took & HD_TOOK_SIGNAL;
    return s;
}

enum hd_status hd_record_run(const struct hd_record_opts *opts, struct hd_record_result *result,
                             struct hd_err *err)
{
    char program[PATH_MAX];
    *result = (struct hd_record_result){0};
    int now = personality(0xffffffff);
    result->random_addresses = now < 0 || personality((unsigned)now | ADDR_NO_RANDOMIZE) < 0;
    if (now >= 0)
        personality((unsigned)now);
    struct sigaction act = {.sa_handler = pass_on}, old[N_PASSED];
    enum hd_status s = hd_program_find(opts->argv[0], program, sizeof program, err);
    if (s == HD_OK)
        s = refuse(opts->argv[0], program, err);
    child_pid = late = told = 0;
    unseen = opts->fds != NULL;
    for (size_t i = 0; i < N_PASSED; i++)
        sigaction(passed[i], &act, &old[i]);
    if (s == HD_OK)
        s = record(opts, program, old, result, err);
    for (size_t i = 0; i < N_PASSED; i++)
        sigaction(passed[i], &old[i], NULL);
    return s;
}

void hd_record_result_fini(struct hd_record_result *result)
{
    hd_build_info_fini(&result->info);
}
