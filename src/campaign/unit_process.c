#include "campaign/unit_process.h"

#include "base/alloc.h"
#include "base/process.h"
#include "base/progress.h"
#include "campaign/folder.h"
#include "report/format/report_json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum hd_status hd_unit_process_check(const struct hd_unit *u, struct hd_err *err)
{
    char build[80];
    if (!u->file)
        return HD_OK;
    if (access(u->file, R_OK) != 0)
        return hd_err_set(err, HD_ERR_INPUT, "%s cannot be read: %s", u->file, strerror(errno));
    enum hd_status s = hd_unitplan_build(u->file, build, err);
    if (s == HD_OK && u->build && strcmp(build, u->build) != 0)
        s = hd_err_set(err, HD_ERR_INPUT, "%s is another build: %s, planned was %s", u->file, build,
                       u->build);
    return s;
}

/* ---- start ---- */

static void set_environment(struct hd_process_env *env, const struct hd_texts *variables)
{
    for (size_t i = 0; i < variables->n; i++) {
        const char *text = variables->items[i], *equals = strchr(text, '=');
        size_t n = equals ? (size_t)(equals - text) : 0;
        char *name = hd_strndup(text, n);
        if (n)
            hd_process_env_set(env, name, equals + 1); /* a later one replaces an earlier one */
        hd_free(name, n + 1);
    }
}

/* The words of its command; the caller frees them (*n). */
static const char **words_of(const struct hd_unit *u, const char *tool, const char *out, size_t *n)
{
    const char **argv = hd_calloc(u->tool.n + u->program.n + 5, sizeof *argv);
    size_t k = 0;
    *n = u->tool.n + u->program.n + 5;
    argv[k++] = tool;
    for (size_t i = 0; i < u->tool.n; i++)
        argv[k++] = u->tool.items[i];
    argv[k++] = "--output";
    argv[k++] = out;
    if (u->program.n)
        argv[k++] = "--";
    for (size_t i = 0; i < u->program.n; i++)
        argv[k++] = u->program.items[i];
    return argv;
}

/* Its descriptors; HD_ERR_INPUT: there is no such input. */
static enum hd_status open_files(const struct hd_unit_process *p, int fds[2], struct hd_err *err)
{
    char log[sizeof p->work + sizeof HD_UNIT_LOG];
    const char *input = p->unit->input ? p->unit->input : "/dev/null";
    snprintf(log, sizeof log, "%s" HD_UNIT_LOG, p->work);
    fds[1] = -1;
    fds[0] = open(input, O_RDONLY | O_CLOEXEC);
    if (fds[0] < 0)
        return hd_err_set(err, HD_ERR_INPUT, "%s cannot be read: %s", input, strerror(errno));
    fds[1] = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    return fds[1] >= 0 ? HD_OK
                       : hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", log, strerror(errno));
}

enum hd_status hd_unit_process_start(struct hd_unit_process *p, const struct hd_unitplan *plan,
                                     const char *tool, struct hd_err *err)
{
    static char *const none[] = {NULL};
    char out[sizeof p->work + sizeof HD_UNIT_OUT];
    int fds[2];
    size_t n;
    struct hd_process_env env;
    p->started = hd_progress_now();
    p->late = false;
    snprintf(out, sizeof out, "%s" HD_UNIT_OUT, p->work);
    const char **argv = words_of(p->unit, tool, out, &n);
    hd_process_env_init(&env, none);
    set_environment(&env, &plan->environment);
    set_environment(&env, &p->unit->environment);
    enum hd_status s = open_files(p, fds, err);
    const struct hd_process_fd set[] = {{fds[0], 0}, {fds[1], 1}, {fds[1], 2}};
    const struct hd_process process = {.file = tool,
                                       .argv = (char *const *)argv,
                                       .env = env.list,
                                       .cwd = p->unit->folder,
                                       .fds = set,
                                       .n_fds = 3,
                                       .own_group = true,
                                       .tied = true};
    if (s == HD_OK)
        s = hd_process_start(&process, &p->pid, err);
    p->pid = s == HD_OK ? p->pid : 0;
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    hd_process_env_fini(&env);
    hd_free(argv, n * sizeof *argv);
    return s;
}

/* ---- end ---- */

bool hd_unit_process_ended(struct hd_unit_process *p, int *status)
{
    if (!hd_process_ended(p->pid, status))
        return false;
    kill(-p->pid, SIGKILL); /* and what it may have left running */
    p->pid = 0;
    return true;
}

void hd_unit_process_kill(struct hd_unit_process *p)
{
    if (!p->pid)
        return;
    kill(-p->pid, SIGKILL);
    hd_process_wait(p->pid);
    p->pid = 0;
}

/* The last line of its log that says something, without what every message of ours begins with. */
static void last_line(const char *work, char *text, size_t size)
{
    char path[sizeof((struct hd_unit_process *)0)->work + sizeof HD_UNIT_LOG], line[400];
    snprintf(path, sizeof path, "%s" HD_UNIT_LOG, work);
    FILE *in = fopen(path, "re");
    *text = 0;
    if (in && fseek(in, -4096, SEEK_END) != 0)
        rewind(in);
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        const char *said = strncmp(line, "heddle: ", 8) == 0 ? line + 8 : line;
        if (*said)
            snprintf(text, size, "%s", said);
    }
    if (in)
        fclose(in);
}

/* Where the unit ran is no part of what went wrong: names below its folder lose it. */
static void forget_folder(const char *work, char *text)
{
    size_t n = strlen(work);
    for (char *at; (at = strstr(text, work));) {
        size_t skip = n + (at[n] == '/');
        memmove(at, at + skip, strlen(at + skip) + 1);
    }
}

static void explain(const struct hd_unit_process *p, int status, struct hd_unit_end *end)
{
    char said[400];
    last_line(p->work, said, sizeof said);
    forget_folder(p->work, said);
    end->full = strstr(said, strerror(ENOSPC)) || strstr(said, strerror(EDQUOT));
    if (p->late)
        snprintf(end->reason, sizeof end->reason,
                 "it took longer than a unit may (--unit-timeout)");
    else if (WIFSIGNALED(status))
        snprintf(end->reason, sizeof end->reason, "heddle was killed by SIG%s%s%s",
                 sigabbrev_np(WTERMSIG(status)), *said ? ": " : "", said);
    else
        snprintf(end->reason, sizeof end->reason, "heddle ended with code %d%s%s",
                 WEXITSTATUS(status), *said ? ": " : "", said);
}

/* Removes what the merged report does not need: without findings all but the report, else what says
 * the same again. */
static void tidy(const char *work, bool findings)
{
    char out[sizeof((struct hd_unit_process *)0)->work + sizeof HD_UNIT_OUT];
    char path[sizeof out + 256 + 1];
    snprintf(out, sizeof out, "%s" HD_UNIT_OUT, work);
    DIR *dir = opendir(out);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const char *name = e->d_name;
        bool keep = !strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "report.json");
        bool twice = !strcmp(name, "report.txt") || !strcmp(name, "report.html");
        snprintf(path, sizeof path, "%s/%s", out, name);
        if (!keep && (twice || !findings))
            hd_folder_remove(path);
    }
    if (dir)
        closedir(dir);
}

void hd_unit_process_judge(const struct hd_unit_process *p, int status, struct hd_unit_end *end)
{
    char path[sizeof p->work + sizeof HD_UNIT_OUT "/report.json"];
    struct hd_report *r = NULL;
    struct hd_err err = {0};
    *end = (struct hd_unit_end){0};
    snprintf(path, sizeof path, "%s" HD_UNIT_OUT "/report.json", p->work);
    if (access(path, F_OK) != 0) {
        explain(p, status, end);
        return;
    }
    if (hd_report_json_load(path, &r, &err) != HD_OK)
        snprintf(end->reason, sizeof end->reason, "its report cannot be read");
    else if (r->interrupted || p->late)
        snprintf(end->reason, sizeof end->reason,
                 p->late ? "it took longer than a unit may (--unit-timeout)"
                         : "it was interrupted");
    else {
        end->done = true;
        end->findings = r->n_findings;
        tidy(p->work, r->n_findings > 0);
    }
    hd_report_free(r);
}
