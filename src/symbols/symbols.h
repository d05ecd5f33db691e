/* Names for code and data addresses, from the ELF files and debug information of the program's
 * modules. Nothing is fetched from elsewhere. An address that no module knows has no name.
 */
#ifndef HD_SYMBOLS_SYMBOLS_H
#define HD_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_symbols;

struct hd_symbols *hd_symbols_new(void);
void hd_symbols_free(struct hd_symbols *s); /* NULL is fine */
/* A module at this load bias. One that cannot be read is ignored. */
void hd_symbols_module(struct hd_symbols *s, const char *path, uint64_t bias);
/* To be called when s has all its modules, and used in its place. It is what was freed last, with
 * all that was read then, if that had the same files at the same addresses: the runs of a session
 * ask about one program. */
struct hd_symbols *hd_symbols_share(struct hd_symbols *s);

struct hd_symbols_code {
    const char *place;    /* "dir/file.c:12" as compiled, or "function", or "module" */
    const char *function; /* demangled */
    uint32_t column;      /* 0: not known */
};
/* What pc is called; texts are "" where nothing is known, and live as long as s. The answer is
 * valid until the next one. */
const struct hd_symbols_code *hd_symbols_code(struct hd_symbols *s, uint64_t pc);
bool hd_symbols_module_name(struct hd_symbols *s, uint64_t pc, char *out, size_t size);
/* The functions whose code is inlined at pc, innermost first, and where in each of them pc is; the
 * last is the function itself. Returns how many there are, 0: nothing known. They are valid until
 * the next answer, texts as long as s. */
struct hd_symbols_inline {
    const char *function; /* demangled */
    const char *file;     /* "": not known */
    int line;
};
size_t hd_symbols_inlined(struct hd_symbols *s, uint64_t pc, const struct hd_symbols_inline **out);

/* For those who read more of the debug information than names; NULL: no module was read. */
struct Dwfl *hd_symbols_dwfl(const struct hd_symbols *s);

/* A module (size: of its image) or one of its variables. */
typedef void (*hd_symbols_see)(void *ctx, bool module, const char *name, uint64_t addr,
                               uint64_t size);
/* All modules, each followed by its variables, in an order that depends on the files alone. */
void hd_symbols_each(struct hd_symbols *s, hd_symbols_see see, void *ctx);

#endif
