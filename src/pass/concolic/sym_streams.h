/* Functions of C++ streams that the search over inputs knows, by their names in libstdc++. Those
 * that read have a model (src/rt/concolic/sym_istream.c), which is told of the call before it is
 * made, too: where a stream stands can be asked only then. */
#ifndef HD_PASS_CONCOLIC_SYM_STREAMS_H
#define HD_PASS_CONCOLIC_SYM_STREAMS_H

#include <stdbool.h>

/* The model's name without its prefix; NULL: there is none. */
const char *hd_sym_stream_model(const char *name);
/* A function that takes something from an istream, its first argument. */
bool hd_sym_stream_reads(const char *name);
/* A function that puts something into an ostream, its first argument. */
bool hd_sym_stream_writes(const char *name);
/* Asks for the state of a stream or sets how it reads: no byte of its text matters. */
bool hd_sym_stream_is_state(const char *name);
/* The function of libc that std::stoi and its relatives call through a pointer inside of the
 * template that has this name; NULL: it is another function. */
const char *hd_sym_stream_converter(const char *function);

#endif
