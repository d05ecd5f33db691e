/* What lies at an address, by debug information: a variable of the program and the path from it to
 * the part that is accessed, such as `box.s[2].len`. A name is given only where the debug
 * information has it for this address; nothing is guessed.
 */
#ifndef HD_SYMBOLS_OBJECTS_H
#define HD_SYMBOLS_OBJECTS_H

#include "symbols/symbols.h"

struct hd_object {
    char name[256];     /* "app::cfg.depth", "a[34]"; "": not known */
    char function[256]; /* that it is a local of; "": none */
    char file[256];     /* where it is declared; "": not known */
    int line;
    char inside[128]; /* "std::vector<int>": the name is that of one, an inner part is accessed */
    bool bits;        /* bit-fields share the bytes */
    bool per_thread;
};

/* A function on a stack: where it goes on, and its frame and stack pointer there. */
struct hd_object_frame {
    uint64_t pc, frame, stack;
};

/* A variable with an address of its own. False, and *out is empty: none is known there. */
bool hd_objects_static(struct hd_symbols *s, uint64_t addr, uint64_t size, struct hd_object *out);
/* A thread-local variable of the program itself, `below` bytes below the thread pointer. */
bool hd_objects_thread_local(struct hd_symbols *s, uint64_t below, uint64_t size,
                             struct hd_object *out);
/* A local variable of one of these functions, the innermost first. Its name is "" when only the
 * function is known. False: not even that. */
bool hd_objects_local(struct hd_symbols *s, const struct hd_object_frame *frames, size_t n,
                      uint64_t addr, uint64_t size, struct hd_object *out);

#endif
