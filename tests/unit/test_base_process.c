/* base/process: what a started program gets, and what a start that fails says. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static char sh[] = "sh", dash_c[] = "-c";

/* Runs a command of the shell and returns its standard output. */
static const char *output(struct hd_process p, const char *command, int *status)
{
    static char text[4096];
    char line[512];
    snprintf(line, sizeof line, "%s", command);
    char *argv[] = {sh, dash_c, line, NULL};
    p.file = "sh";
    p.argv = argv;
    assert_int_equal(hd_process_capture(&p, 1, text, sizeof text, status, NULL), HD_OK);
    return text;
}

static void captures_output_and_status(void **state)
{
    (void)state;
    int status;
    assert_string_equal(output((struct hd_process){0}, "printf 'a b'; exit 3", &status), "a b");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    output((struct hd_process){0}, "kill -9 $$", &status);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void long_output_does_not_block(void **state)
{
    (void)state;
    int status;
    const char *text = output((struct hd_process){0}, "yes | head -c 1000000; exit 7", &status);
    assert_int_equal(strlen(text), 4095);
    assert_int_equal(WEXITSTATUS(status), 7);
}

static void sets_folder_and_environment(void **state)
{
    (void)state;
    int status;
    struct hd_process_env env;
    hd_process_env_init(&env, environ);
    size_t before = env.n;
    hd_process_env_set(&env, "HD_TEST_A", "first");
    hd_process_env_set(&env, "HD_TEST_AB", "other");
    hd_process_env_set(&env, "HD_TEST_A", "second");
    assert_int_equal(env.n, before + 2);
    assert_null(env.list[env.n]);
    struct hd_process p = {.cwd = "/", .env = env.list};
    assert_string_equal(output(p, "echo $PWD $HD_TEST_A $HD_TEST_AB", &status), "/ second other\n");
    hd_process_env_fini(&env);
    assert_null(getenv("HD_TEST_A"));
}

static void sets_descriptors(void **state)
{
    (void)state;
    int status, ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], "given\n", 6), 6);
    close(ends[1]);
    const struct hd_process_fd in = {ends[0], 0};
    assert_string_equal(output((struct hd_process){.fds = &in, .n_fds = 1}, "cat", &status),
                        "given\n");
    close(ends[0]);
}

/* Our handlers, ignored signals and mask do not reach it, except as asked for. */
static void signals_are_the_default(void **state)
{
    (void)state;
    int status;
    sigset_t block, ignored;
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    sigprocmask(SIG_BLOCK, &block, NULL);
    signal(SIGUSR2, SIG_IGN);
    output((struct hd_process){0}, "kill -USR1 $$; exit 0", &status);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
    output((struct hd_process){0}, "kill -USR2 $$; exit 0", &status);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR2);
    output((struct hd_process){.mask = &block}, "kill -USR1 $$; exit 0", &status);
    assert_true(WIFEXITED(status));
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGHUP);
    output((struct hd_process){.ignored = &ignored}, "kill -HUP $$; exit 0", &status);
    assert_true(WIFEXITED(status));
    sigprocmask(SIG_UNBLOCK, &block, NULL);
    signal(SIGUSR2, SIG_DFL);
}

static void own_group(void **state)
{
    (void)state;
    int status;
    const char *script = "set -- $(cat /proc/self/stat); test $5 = $$"; /* pgrp is the shell's */
    output((struct hd_process){.own_group = true}, script, &status);
    assert_int_equal(status, 0);
    output((struct hd_process){0}, script, &status);
    assert_int_not_equal(status, 0);
}

static void watches_the_end(void **state)
{
    (void)state;
    char sleep_word[] = "sleep", ten[] = "10";
    char *argv[] = {sleep_word, ten, NULL};
    pid_t pid;
    int status;
    assert_int_equal(
        hd_process_start(&(struct hd_process){.file = "sleep", .argv = argv}, &pid, NULL), HD_OK);
    assert_false(hd_process_ended(pid, &status));
    kill(pid, SIGKILL);
    status = hd_process_wait(pid);
    assert_true(WIFSIGNALED(status));
    assert_true(hd_process_ended(pid, &status)); /* nobody's child any more */
    assert_int_equal(hd_process_wait(pid), -1);
}

static void says_why_it_does_not_start(void **state)
{
    (void)state;
    char word[] = "x";
    char *argv[] = {word, NULL};
    struct hd_err err;
    pid_t pid;
    struct hd_process p = {.file = "/does/not/exist", .argv = argv};
    assert_int_equal(hd_process_start(&p, &pid, &err), HD_ERR_INPUT);
    assert_string_equal(err.text, "/does/not/exist cannot be started: No such file or directory");
    p.file = "/etc/passwd";
    assert_int_equal(hd_process_start(&p, &pid, &err), HD_ERR_INPUT);
    assert_string_equal(err.text, "/etc/passwd cannot be started: Permission denied");
    p = (struct hd_process){.file = "true", .argv = argv, .cwd = "/does/not/exist"};
    assert_int_equal(hd_process_start(&p, &pid, &err), HD_ERR_INPUT);
    const struct hd_process_fd bad = {-1, 0};
    p = (struct hd_process){.file = "true", .argv = argv, .fds = &bad, .n_fds = 1};
    assert_int_equal(hd_process_start(&p, &pid, &err), HD_ERR_INPUT);
    assert_non_null(strstr(err.text, "Bad file descriptor"));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* and no child is left */
    assert_int_equal(errno, ECHILD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captures_output_and_status),
        cmocka_unit_test(long_output_does_not_block),
        cmocka_unit_test(sets_folder_and_environment),
        cmocka_unit_test(sets_descriptors),
        cmocka_unit_test(signals_are_the_default),
        cmocka_unit_test(own_group),
        cmocka_unit_test(watches_the_end),
        cmocka_unit_test(says_why_it_does_not_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
