/* Compressed byte streams, zstd and gzip: found by their first bytes, unpacked block by block, and
 * packed behind an ordinary FILE so that writers need not know. Concatenated frames (members) read
 * as one stream. Zero bytes after the last gzip member are padding, as gzip itself has it.
 */
#ifndef HD_TRACE_PACK_H
#define HD_TRACE_PACK_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>

enum hd_packing { HD_PACK_NONE, HD_PACK_ZSTD, HD_PACK_GZIP };

/* By the first bytes of the data; fewer than 4 bytes give NONE. */
enum hd_packing hd_pack_sniff(const void *data, size_t len);

/* By the suffix .zst or .gz. */
enum hd_packing hd_pack_by_suffix(const char *path);

/* Takes what was unpacked. Any status but HD_OK ends the unpacking and is handed on. */
typedef enum hd_status (*hd_pack_sink)(void *ctx, const char *data, size_t len, struct hd_err *err);

/* Unpacking: new, feed, end, free. pack may be NONE: then the data is handed on as it is.
 * new gives NULL when the library has no memory. Damage gives HD_ERR_INPUT with the place counted
 * in packed bytes; end gives HD_ERR_INPUT when the last frame is not complete. file and line of the
 * error are left to the caller. */
struct hd_unpack;
struct hd_unpack *hd_unpack_new(enum hd_packing pack, hd_pack_sink sink, void *ctx);
enum hd_status hd_unpack_feed(struct hd_unpack *u, const void *data, size_t len,
                              struct hd_err *err);
enum hd_status hd_unpack_end(struct hd_unpack *u, struct hd_err *err);
void hd_unpack_free(struct hd_unpack *u); /* NULL is fine */

/* A stream that packs into out. Closing it ends the frame and flushes out, which stays open; fclose
 * and ferror report failures as with any stream. NULL with errno when it cannot be made. */
FILE *hd_pack_writer(FILE *out, enum hd_packing pack);

#endif
