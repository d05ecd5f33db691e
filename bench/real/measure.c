/* measure FILE COMMAND [ARG]...: runs the command and writes to FILE one line
 *     USER+SYSTEM_SECONDS  WALL_SECONDS  OWN_PEAK_KB  FAMILY_PEAK_KB
 * Times and the family's peak count the command and its children. The own peak is the command's
 * alone: it is read when the process is about to end, so that the recorder and the program it runs
 * can be told apart. FILE.pid gets the process number of the command at once, for those who want to
 * send it a signal. The exit status is the command's. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child;

static void pass_on(int sig)
{
    if (child > 0)
        kill((pid_t)child, sig);
}

static long peak_kb(pid_t pid)
{
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

/* Waits for the end; passes every signal on to the command unchanged. */
static int follow(pid_t pid, long *kb, struct rusage *used)
{
    int status = 0;
    for (;;) {
        if (wait4(pid, &status, __WALL, used) < 0) {
            if (errno == EINTR)
                continue;
            return 0;
        }
        if (!WIFSTOPPED(status))
            return status;
        int event = status >> 16, sig = WSTOPSIG(status);
        if (event == PTRACE_EVENT_EXIT)
            *kb = peak_kb(pid);
        if (event == PTRACE_EVENT_STOP && (sig == SIGSTOP || sig == SIGTSTP))
            ptrace(PTRACE_LISTEN, pid, 0, 0);
        else
            ptrace(PTRACE_CONT, pid, 0, event ? 0 : sig);
    }
}

static void tell_pid(const char *file, pid_t pid)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.pid", file);
    FILE *f = fopen(path, "w");
    if (!f)
        return;
    fprintf(f, "%d\n", (int)pid);
    fclose(f);
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    int gate[2];
    char c = 0;
    if (argc < 3 || pipe(gate) < 0)
        return 2;
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    pid_t pid = fork();
    if (pid < 0)
        return 2;
    if (pid == 0) {
        close(gate[1]);
        if (read(gate[0], &c, 1) != 1) /* until the parent looks */
            _exit(2);
        close(gate[0]);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    child = pid;
    tell_pid(argv[1], pid);
    signal(SIGINT, pass_on);
    signal(SIGTERM, pass_on);
    long kb = 0;
    if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXIT) < 0)
        fprintf(stderr, "measure: no peak of the command alone: %s\n", strerror(errno));
    close(gate[0]);
    if (write(gate[1], &c, 1) != 1)
        return 2;
    close(gate[1]);
    struct rusage used = {0};
    int status = follow(pid, &kb, &used);
    clock_gettime(CLOCK_MONOTONIC, &to);
    FILE *out = fopen(argv[1], "w");
    if (!out)
        return 2;
    fprintf(out, "%.2f %.2f %ld %ld\n", seconds(used.ru_utime) + seconds(used.ru_stime),
            (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9, kb,
            used.ru_maxrss);
    fclose(out);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
