#include "solve/z3_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct hd_z3 hd_z3;

static char missing[200];

/* By the order in which the loader looks, so that a test may put its own function before Z3's. */
static void *find(const char *name)
{
    void *f = dlsym(RTLD_DEFAULT, name);
    if (!f && !*missing)
        snprintf(missing, sizeof missing, HD_Z3_LIBRARY " has no %s", name);
    return f;
}

static void load(void)
{
    if (!dlopen(HD_Z3_LIBRARY, RTLD_LAZY | RTLD_GLOBAL)) {
        const char *why = dlerror();
        snprintf(missing, sizeof missing, "%s", why ? why : HD_Z3_LIBRARY);
        return;
    }
#define FIND(name) *(void **)&hd_z3.name = find("Z3_" #name);
    HD_Z3_CALLS(FIND)
#undef FIND
}

bool hd_z3_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return !*missing;
}

const char *hd_z3_missing(void)
{
    return hd_z3_load() ? "" : missing;
}
