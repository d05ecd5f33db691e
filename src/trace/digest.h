/* The digest of a trace: 128 bits that stand for its content, so that a witness can tell which
 * trace it belongs to. The content is what canonical text shows (trace/text/text.h): equal text,
 * equal digest, whatever the file format, the numbering of names and the place of directives. It
 * guards against mistakes, not against malice: it is no cryptographic hash.
 *
 * The text begins with the version of the method, so that a later one cannot be mistaken for this
 * one.
 */
#ifndef HD_TRACE_DIGEST_H
#define HD_TRACE_DIGEST_H

#include "trace/trace.h"

#define HD_DIGEST_SIZE 37 /* "hd1-", 32 hex digits, NUL */

void hd_digest_trace(const struct hd_trace *t, char out[HD_DIGEST_SIZE]);

#endif
