/* The text form of a trace: docs/MODEL.md section 5, spelled out in docs/TEXT_FORMAT.md.
 *
 * One line is one event `thread|op|location|attributes`, a directive `!...`, a comment `#...`, or
 * blank. Location and attributes may be left out. Blanks (space, tab) around fields, arguments and
 * numbers do not count. Lines end in LF or CR LF; the last one may lack its end. A byte order mark
 * at the start of the input is skipped.
 *
 * Names (threads, objects): one or more bytes, none of | , ( ) and no control characters; blanks
 * only inside. A thread name does not begin with #, ! or a byte order mark. Locations: the same,
 * but they may be empty and hold , ( ) too. `;`, `[`, `.` and all bytes from 0x80 on are fine in
 * both. Numbers: decimal from -2^63 to 2^64 - 1 (negative ones mean their two's complement), or 0x
 * and hex digits up to 64 bits. Counts, sizes and event numbers have no sign. Event numbers start
 * at 1. NUL bytes are refused anywhere, lines over HD_TEXT_MAX_LINE bytes too.
 *
 * Canonical text is what hd_text_write prints: reading it gives an equal trace, and two traces of
 * equal content print the same bytes, whatever the numbering of their names.
 */
#ifndef HD_TRACE_TEXT_TEXT_H
#define HD_TRACE_TEXT_TEXT_H

#include "base/err.h"
#include "trace/trace.h"

#include <stdio.h>

/* Bounds the memory that input without line ends can take. A dependence list of a million reads
 * fits. */
#define HD_TEXT_MAX_LINE (16u << 20)

/* Reading in blocks: new, feed any number of times, then finish or free. `name` stands in errors
 * and is copied. After an error the reader can only be freed. */
struct hd_text_reader;
struct hd_text_reader *hd_text_new(const char *name);
void hd_text_free(struct hd_text_reader *r); /* NULL is fine */

/* Takes the next block; lines may lie across blocks. HD_ERR_INPUT or HD_ERR_LIMIT with file and
 * line. */
enum hd_status hd_text_feed(struct hd_text_reader *r, const char *data, size_t len,
                            struct hd_err *err);

/* Ends the input, frees the reader in any case, and hands over the trace (the caller's to free). */
enum hd_status hd_text_finish(struct hd_text_reader *r, struct hd_trace **trace,
                              struct hd_err *err);

/* The whole of a buffer at once. */
enum hd_status hd_text_read(const char *data, size_t len, const char *name, struct hd_trace **trace,
                            struct hd_err *err);

/* Writes canonical text. HD_ERR_IO when the stream fails (it is flushed first); HD_ERR_INPUT when a
 * name holds bytes that text cannot hold, which only a trace that was not read from text can have.
 */
enum hd_status hd_text_write(const struct hd_trace *t, FILE *out, struct hd_err *err);

/* Writes plain RAPID STD: r, w, acq, rel, fork, join, begin and end, without values. Never drops
 * anything: HD_ERR_INPUT names the first event, or the directive, that plain STD cannot say;
 * nothing is written then. Values that were left out in the input are no obstacle, given ones are.
 */
enum hd_status hd_text_write_std(const struct hd_trace *t, FILE *out, struct hd_err *err);
/* Whether it could: HD_OK, or the same error. */
enum hd_status hd_text_check_std(const struct hd_trace *t, struct hd_err *err);

/* One event as its canonical line, with the line end. Stream errors stay in the stream (ferror). */
void hd_text_write_event(const struct hd_trace *t, hd_eid e, FILE *out);

/* Whether text can hold the name. Places have their own rule (see above). */
bool hd_text_name_ok(const char *name, size_t len);
bool hd_text_thread_ok(const char *name, size_t len);
bool hd_text_place_ok(const char *name, size_t len);

#endif
