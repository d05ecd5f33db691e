#include "replay/code_frames.h"

#include "base/alloc.h"
#include "build/origin.h"
#include "abi/rt_schedule.h"

#include <string.h>

struct hd_symbols *hd_code_frames_symbols(const struct hd_vec *modules)
{
    struct hd_symbols *s = hd_symbols_new();
    for (size_t i = 0; i < modules->len; i++) {
        const struct hd_origin_module *m = hd_vec_at(modules, i);
        hd_symbols_module(s, m->path, m->bias);
    }
    return hd_symbols_share(s);
}

static const struct hd_origin_module *module_of(const struct hd_vec *modules, uint64_t addr)
{
    const struct hd_origin_module *best = NULL;
    for (size_t i = 0; i < modules->len; i++) {
        const struct hd_origin_module *m = hd_vec_at(modules, i);
        if (m->bias <= addr && (!best || m->bias > best->bias))
            best = m;
    }
    return best;
}

/* The runtime and our OpenMP: the user looks for neither. */
static bool is_ours(const struct hd_replay_frame *f)
{
    return f->module &&
           (!strncmp(f->module, "libheddle_rt", 12) || !strncmp(f->module, "libheddle_omp", 13));
}

bool hd_code_frames_is_ours(const struct hd_vec *modules, uint64_t pc)
{
    const struct hd_origin_module *m = module_of(modules, pc);
    const char *slash = m ? strrchr(m->path, '/') : NULL;
    struct hd_replay_frame f = {.module =
                                    m ? (char *)(uintptr_t)(slash ? slash + 1 : m->path) : NULL};
    return is_ours(&f);
}

static char *copy_of(const char *text)
{
    return text && *text ? hd_strndup(text, strlen(text)) : NULL;
}

/* The frames at pc, innermost first: more than one where functions are inlined. Returns how many,
 * at most max, at least 1. */
static size_t fill_frames(struct hd_symbols *symbols, const struct hd_vec *modules, uint64_t pc,
                          struct hd_replay_frame *f, size_t max)
{
    const struct hd_symbols_inline *inlined;
    const struct hd_origin_module *m = module_of(modules, pc);
    const char *slash = m ? strrchr(m->path, '/') : NULL;
    const char *module = m ? (slash ? slash + 1 : m->path) : NULL;
    f[0] = (struct hd_replay_frame){.module = copy_of(module), .offset = m ? pc - m->bias : 0};
    if (is_ours(&f[0]))
        return 1;
    size_t n = hd_symbols_inlined(symbols, pc, &inlined);
    n = n < max ? n : max;
    for (size_t i = 0; i < n; i++)
        f[i] = (struct hd_replay_frame){.function = copy_of(inlined[i].function),
                                        .file = copy_of(inlined[i].file),
                                        .line = (uint32_t)inlined[i].line,
                                        .module = i ? copy_of(module) : f[0].module,
                                        .offset = f[0].offset};
    if (!n)
        f[0].function = copy_of(hd_symbols_code(symbols, pc)->function);
    return n ? n : 1;
}

/* What starts threads and programs is left out. */
static bool is_outer(const struct hd_replay_frame *f)
{
    bool libc = f->module && !strncmp(f->module, "libc.so", 7);
    bool crt = f->function && !strcmp(f->function, "_start");
    return is_ours(f) || libc || crt;
}

static void free_frame(struct hd_replay_frame *f)
{
    char *texts[] = {f->function, f->file, f->module};
    for (int i = 0; i < 3; i++)
        if (texts[i])
            hd_free(texts[i], strlen(texts[i]) + 1);
}

void hd_code_frames_fill(struct hd_symbols *symbols, const struct hd_vec *modules,
                         const uint8_t *data, size_t n, bool crash, struct hd_replay_stack *stack)
{
    struct hd_replay_frame frames[HD_FOLLOW_FRAMES] = {{0}};
    size_t from = 0, used = 0;
    for (size_t i = 0; i < n && used < HD_FOLLOW_FRAMES; i++) {
        uint64_t pc;
        memcpy(&pc, data + 8 * i, 8);
        used += fill_frames(symbols, modules, pc, &frames[used], HD_FOLLOW_FRAMES - used);
    }
    n = used;
    while (from < n && is_ours(&frames[from]))
        free_frame(&frames[from++]);
    /* The handler returns into libc's trampoline for signals. */
    if (crash && from < n && frames[from].module && !strncmp(frames[from].module, "libc.so", 7) &&
        !frames[from].line && from + 1 < n)
        free_frame(&frames[from++]);
    while (n > from + 1 && is_outer(&frames[n - 1]))
        free_frame(&frames[--n]);
    used = from;
    for (size_t i = from; i < n; i++) { /* we may also stand between libc and the program */
        if (is_ours(&frames[i]))
            free_frame(&frames[i]);
        else
            frames[used++] = frames[i];
    }
    n = used;
    stack->n = n - from;
    stack->frames = hd_calloc(stack->n, sizeof *stack->frames);
    memcpy(stack->frames, frames + from, stack->n * sizeof *stack->frames);
}

void hd_code_frames_fini(struct hd_replay_stack *stack)
{
    for (size_t i = 0; i < stack->n; i++)
        free_frame(&stack->frames[i]);
    hd_free(stack->frames, stack->n * sizeof *stack->frames);
    *stack = (struct hd_replay_stack){0};
}
