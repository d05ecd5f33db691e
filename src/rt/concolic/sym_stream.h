/* Descriptors whose bytes are input, for the models of what reads them (sym_stream.c,
 * sym_istream.c).
 */
#ifndef HD_RT_CONCOLIC_SYM_STREAM_H
#define HD_RT_CONCOLIC_SYM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_sym_stream {
    uint8_t *bytes; /* NULL: not an input */
    size_t size, pos;
    uint32_t length; /* the id of its size; 0: it has no other */
    size_t room;     /* the largest that it may have */
    bool seen;       /* a model saw a call that reads it */
};

struct hd_sym_stream *hd_rt_sym_stream_of(int fd); /* NULL: not an input */
void hd_rt_sym_opened(int fd, const char *path);   /* it is an input if the user asked for it */
/* A call read from start up to `end`; met: it wanted more, and there was none. */
void hd_rt_sym_reached(struct hd_sym_stream *s, size_t start, size_t end, bool met);
void hd_rt_sym_ends_at(const uint8_t *p, uint8_t end); /* whether *p is `end` is a choice */
/* Models read the stream from this byte on (__hd_model_more). */
void hd_rt_sym_read_from(struct hd_sym_stream *s, size_t start);
/* A line from start up to `end`, byte by byte: is there one, and is it `last`? full: there was no
 * room for more. */
void hd_rt_sym_read_line(struct hd_sym_stream *s, size_t start, size_t end, bool full,
                         uint8_t last);

#endif
