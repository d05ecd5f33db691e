#include "symbols/live.h"

#include "symbols/symbols.h"

#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct look {
    Dwfl *dwfl;
    struct hd_symbols *symbols;
    pid_t pid;
    hd_live_see see;
    void *ctx;
    char program[PATH_MAX]; /* its file */
    char place[800];        /* of the thread at hand; "": not found yet */
};

/* Nothing is fetched from elsewhere: see symbols.c, which also knows the lines. */
static int no_debuginfo(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **out)
{
    (void)mod, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)out;
    return -1;
}

static int on_module(Dwfl_Module *mod, void **user, const char *path, Dwarf_Addr start, void *arg)
{
    const struct look *l = arg;
    GElf_Addr bias;
    (void)user, (void)start;
    if (*path == '/' && !strstr(path, "libheddle_rt") && dwfl_module_getelf(mod, &bias))
        hd_symbols_module(l->symbols, path, bias);
    return DWARF_CB_OK;
}

/* A frame counts when its line is known, or when it is in the program's own file. */
static int on_frame(Dwfl_Frame *frame, void *arg)
{
    struct look *l = arg;
    Dwarf_Addr pc;
    bool exact;
    if (!dwfl_frame_pc(frame, &pc, &exact))
        return DWARF_CB_ABORT;
    pc -= !exact; /* the call, not what comes after it */
    Dwfl_Module *mod = dwfl_addrmodule(l->dwfl, pc);
    const char *path = mod ? dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : "";
    const struct hd_symbols_code *code = hd_symbols_code(l->symbols, pc);
    if (!*code->place || (!strchr(code->place, ':') && strcmp(path, l->program) != 0))
        return DWARF_CB_OK;
    bool named = *code->function && strcmp(code->function, code->place) != 0;
    snprintf(l->place, sizeof l->place, "%.300s%s%.400s", named ? code->function : "",
             named ? " " : "", code->place);
    return DWARF_CB_ABORT; /* the innermost is enough */
}

static void name_of(pid_t pid, pid_t tid, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)pid, (int)tid);
    FILE *f = fopen(path, "re");
    *out = 0;
    if (f && fgets(out, (int)size, f))
        out[strcspn(out, "\n")] = 0;
    if (f)
        fclose(f);
}

static int on_thread(Dwfl_Thread *thread, void *arg)
{
    struct look *l = arg;
    char name[64];
    *l->place = 0;
    dwfl_thread_getframes(thread, on_frame, l);
    if (*l->place) {
        name_of(l->pid, dwfl_thread_tid(thread), name, sizeof name);
        l->see(l->ctx, dwfl_thread_tid(thread), name, l->place);
    }
    return DWARF_CB_OK;
}

bool hd_live_threads(pid_t pid, hd_live_see see, void *ctx)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = no_debuginfo};
    struct look l = {.dwfl = dwfl_begin(&callbacks), .pid = pid, .see = see, .ctx = ctx};
    char link[64];
    if (!l.dwfl)
        return false;
    l.symbols = hd_symbols_new();
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    if (readlink(link, l.program, sizeof l.program - 1) < 0)
        *l.program = 0;
    bool good = dwfl_linux_proc_report(l.dwfl, pid) == 0 &&
                dwfl_report_end(l.dwfl, NULL, NULL) == 0 &&
                dwfl_getmodules(l.dwfl, on_module, &l, 0) == 0 &&
                dwfl_linux_proc_attach(l.dwfl, pid, false) == 0 &&
                dwfl_getthreads(l.dwfl, on_thread, &l) == DWARF_CB_OK;
    hd_symbols_free(l.symbols);
    dwfl_end(l.dwfl);
    return good;
}
