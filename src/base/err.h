/* How the engine rooms report what went wrong.
 *
 * A function that can fail returns enum hd_status and fills a caller-owned struct hd_err. Nothing
 * in the engine prints or exits: the command line turns a status into an exit code and a sentence.
 * `file` and `line` are set when the fault lies in the user's input; `text` is one sentence without
 * a full stop or newline, fit to follow "file:line: ". Control characters in either come out as
 * '?'. Texts that are too long are cut at the end, file names at the beginning.
 */
#ifndef HD_BASE_ERR_H
#define HD_BASE_ERR_H

#include <stdarg.h>
#include <stdint.h>

enum hd_status {
    HD_OK = 0,
    HD_ERR_INPUT,    /* the user's data is malformed or inconsistent */
    HD_ERR_IO,       /* the system refused: open, read, write, no space */
    HD_ERR_LIMIT,    /* a documented limit was reached (states, events, names) */
    HD_ERR_STOPPED,  /* interrupted by the user or a budget */
    HD_ERR_INTERNAL, /* a bug of ours, found by a check of ours */
};

struct hd_err {
    enum hd_status code;
    char file[256];
    uint64_t line; /* 1-based; 0 = not known */
    char text[512];
};

/* Fills err->code and err->text and returns code. err may be NULL, and err->text may be among
 * the arguments. file and line are left alone. */
enum hd_status hd_err_set(struct hd_err *err, enum hd_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with the place in the user's input. */
enum hd_status hd_err_at(struct hd_err *err, enum hd_status code, const char *file, uint64_t line,
                         const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Ends the process with a message that names the broken invariant. Stays on in release builds. */
_Noreturn void hd_panic(const char *file, int line, const char *what);

#define HD_ASSERT(cond) ((cond) ? (void)0 : hd_panic(__FILE__, __LINE__, #cond))
/* HD_DCHECK is for hot paths: on in Debug, sanitizer and fuzz builds (they define HD_DEBUG). */
#ifdef HD_DEBUG
#define HD_DCHECK(cond) HD_ASSERT(cond)
/* A structure looks at itself: HD_SELF_CHECK(check(r)). Its function is there in such builds only.
 */
#define HD_SELF_CHECK(call) (call)
#else
#define HD_DCHECK(cond)     ((void)0)
#define HD_SELF_CHECK(call) ((void)0)
#endif

#endif
