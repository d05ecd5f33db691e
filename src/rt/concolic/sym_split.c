/* Models of functions that write into the text that they look at (strsep, strtok), and of readers
 * that are not followed. Runs in the user's process; see the rules in rt.h.
 *
 * The real function has put a zero where a separator was. Its expression is still in the shadow, so
 * that what it was can be told: each comparison with a separator is a step of the path. */
#include "rt/concolic/rt_sym.h"
#include "rt/concolic/sym_models.h"

#include <stdio.h>
#include <sys/mman.h>

/* Where the program's strtok and strtok_r stand: after the last piece, by the place of the
 * program's own pointer (NULL: strtok). */
#define PLACES 64
static struct {
    const void *save;
    uint8_t *at;
} places[PLACES];

static bool decide(uint32_t id, uint8_t c)
{
    bool is = (uint8_t)hd_rt_sym_node(id)->value == c;
    uint32_t expr = hd_rt_sym_make(HD_SYM_EQ, 1, id, hd_rt_sym_const(8, c), 0, is);
    hd_rt_sym_step(expr, is, HD_SYM_BRANCH, HD_SYM_NO_OUTCOME, HD_SYM_NO_OUTCOME);
    return is;
}

enum what { LETTER, SEPARATOR, END };

/* What a byte was before the call. Without an expression a zero is an end: whether it was a
 * separator makes no difference. */
static enum what look(uint8_t *p, const char *separators)
{
    uint32_t id = hd_rt_sym_byte(p);
    uint8_t now = *p;
    if (id && now && (uint8_t)hd_rt_sym_node(id)->value != now) {
        hd_rt_sym_lost(HD_SYM_LOST_STALE);
        hd_rt_sym_set_byte(p, 0);
        id = 0;
    }
    if (!id) {
        for (const char *s = separators; *s; s++)
            if ((uint8_t)*s == now)
                return SEPARATOR;
        return now ? LETTER : END;
    }
    if (decide(id, 0))
        return END;
    for (const char *s = separators; *s; s++)
        if (decide(id, (uint8_t)*s))
            return SEPARATOR;
    return LETTER;
}

/* Over the piece at p; answers where the next one may begin. */
static uint8_t *over_piece(uint8_t *p, const char *separators)
{
    enum what what;
    while ((what = look(p, separators)) == LETTER)
        p++;
    hd_rt_sym_past((uintptr_t)p * 4 + what); /* the program has a pointer that depends on this */
    if (what == END)
        return p;
    hd_rt_sym_set_byte(p, 0); /* there is a zero now */
    return p + 1;
}

HD_EXPORT uint64_t __hd_model_strsep(uint64_t result, uint64_t text, uint64_t separators)
{
    (void)text;
    if (hd_rt_sym.on && result)
        over_piece((uint8_t *)result, (const char *)separators);
    return result;
}

static uint64_t token(uint64_t result, uint8_t *text, const char *separators, const void *save)
{
    unsigned slot = ((uintptr_t)save >> 3) % PLACES;
    uint8_t *p = text ? text : places[slot].save == save ? places[slot].at : NULL;
    if (!hd_rt_sym.on || !p)
        return result;
    if (result && !*p && !hd_rt_sym_byte(p)) /* a separator that did not depend on input */
        p++;
    while (p != (uint8_t *)result && look(p, separators) == SEPARATOR)
        p++;
    if (result)
        p = over_piece((uint8_t *)result, separators);
    places[slot].save = save;
    places[slot].at = p;
    return result;
}

HD_EXPORT uint64_t __hd_model_strtok(uint64_t result, uint64_t text, uint64_t separators)
{
    return token(result, (uint8_t *)text, (const char *)separators, NULL);
}

HD_EXPORT uint64_t __hd_model_strtok_r(uint64_t result, uint64_t text, uint64_t separators,
                                       uint64_t save)
{
    return token(result, (uint8_t *)text, (const char *)separators, (const void *)save);
}

bool hd_rt_sym_sort(void *p, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    if (!hd_rt_sym.on || n < 2)
        return false;
    void *tmp =
        hd_rt_mmap(NULL, n * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (tmp == MAP_FAILED)
        return false;
    __hd_model_qsort(p, n, size, compare, tmp);
    hd_rt_sym_clear(tmp, n * size);
    hd_rt_munmap(tmp, n * size);
    return true;
}

/* ---- help for models ---- */

HD_EXPORT void __hd_model_lost(const char *name)
{
    if (hd_rt_sym.on)
        hd_rt_sym_name_call(name);
}

HD_EXPORT void __hd_model_past(uint64_t what)
{
    hd_rt_sym_past(what);
}

HD_EXPORT bool __hd_model_on(void)
{
    return hd_rt_sym.on;
}

HD_EXPORT void __hd_model_getopt_error(const char *program, int option, const char *what)
{
    fprintf(stderr, "%s: %s '%c'\n", program, what, option);
}

HD_EXPORT void __hd_model_getopt_long_error(const char *program, const char *name, const char *what)
{
    if (what)
        fprintf(stderr, "%s: option '--%s' %s\n", program, name, what);
    else
        fprintf(stderr, "%s: unrecognized option '--%s'\n", program, name);
}
