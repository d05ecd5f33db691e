#include "record/preload.h"

#include "record/program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "LD_PRELOAD"

static char at[PATH_MAX];
static bool always;

void hd_preload_is_at(const char *library)
{
    snprintf(at, sizeof at, "%s", library);
}

void hd_preload_always(void)
{
    always = true;
}

/* Whether the loader puts the C library before the runtime. It lists what it would load instead of
 * running the program. */
static bool libc_comes_first(const char *program)
{
    enum { ROOM = 1 << 16 };
    static char text[ROOM];
    char *argv[] = {(char *)(uintptr_t)program, NULL};
    struct hd_process_env env;
    struct hd_err ignored;
    int status;
    hd_process_env_init(&env, environ);
    hd_process_env_set(&env, "LD_TRACE_LOADED_OBJECTS", "1");
    struct hd_process p = {.file = program, .argv = argv, .env = env.list, .tied = true};
    enum hd_status s = hd_process_capture(&p, 1, text, sizeof text, &status, &ignored);
    hd_process_env_fini(&env);
    const char *ours = s == HD_OK ? strstr(text, "libheddle_rt.") : NULL;
    const char *libc = ours ? strstr(text, "libc.so.") : NULL;
    return libc && libc < ours;
}

bool hd_preload_wanted(const char *program)
{
    return *at && (always || (hd_program_may_be_behind(program) && libc_comes_first(program)));
}

void hd_preload_value(char *const *from, char *out, size_t size)
{
    const char *before = NULL;
    for (; *from && !before; from++)
        if (!strncmp(*from, NAME "=", sizeof NAME))
            before = *from + sizeof NAME;
    if (before && strstr(before, "libheddle_rt."))
        snprintf(out, size, "%s", before);
    else
        snprintf(out, size, "%s%s%s", at, before && *before ? ":" : "", before ? before : "");
}

void hd_preload_into(struct hd_process_env *env)
{
    char value[2 * PATH_MAX];
    hd_preload_value(env->list, value, sizeof value);
    hd_process_env_set(env, NAME, value);
}
