/* Recordings: what `heddle record` writes. docs/TRACE_FORMAT.md, "Recordings", is the contract.
 *
 * A recording is the log of a run as the runtime packed it, in blocks, with what is needed to turn
 * it into a trace without the program: names of places and variables, settings and outcome. Making
 * the trace of it is build.h's work and is left to its reader.
 */
#ifndef HD_RECORDING_RECFILE_H
#define HD_RECORDING_RECFILE_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_rec_type {
    HD_REC_LOG = 'L',     /* one chunk of the log */
    HD_REC_KEYS = 'K',    /* keys by number and the names of their places */
    HD_REC_SYMBOLS = 'S', /* modules and variables */
    HD_REC_TYPES = 'T',   /* structs that hold locks */
    HD_REC_META = 'M',    /* settings, outcome */
    HD_REC_INPUTS = 'I',  /* META for the trace: what the run got from outside */
    HD_REC_END = 'E',
    HD_REC_ANCESTOR =
        'a', /* to 'h': chunks of the logs of processes that this one was forked from */
};

struct hd_rec_block {
    unsigned type; /* enum hd_rec_type */
    bool packed;
    uint32_t stored, raw;
    const uint8_t *data;
};

/* ---- writing: blocks in any order, END last ---- */

struct hd_rec_writer {
    int fd;
    int error;            /* errno of the first failed write; nothing is written after it */
    uint64_t size;        /* of the file */
    struct hd_vec starts; /* uint64_t: where log blocks start */
    void *zstd;
    uint8_t *buffer; /* for compressed blocks */
    size_t cap;
};

/* Writes the file header. The descriptor stays the caller's. */
void hd_rec_writer_init(struct hd_rec_writer *w, int fd);
void hd_rec_writer_fini(struct hd_rec_writer *w);
/* level 0 stores the bytes as they are. */
void hd_rec_put(struct hd_rec_writer *w, enum hd_rec_type type, const void *data, size_t len,
                int level);
/* A block of another recording, as it is stored there. */
void hd_rec_copy(struct hd_rec_writer *w, unsigned type, const struct hd_rec_block *block);
/* After a failure: cuts the last log block off and clears the error. False: there is none left. */
bool hd_rec_cut(struct hd_rec_writer *w);

/* ---- reading ---- */

struct hd_rec {
    const char *name; /* for messages */
    const uint8_t *data;
    bool mapped;          /* data is a file's, mapped to be read only */
    struct hd_vec blocks; /* struct hd_rec_block */
};

bool hd_rec_is(const char *data, size_t len); /* by its first bytes */
/* data stays the caller's and must outlive rec. HD_ERR_INPUT when it is damaged or cut short. */
enum hd_status hd_rec_open(const char *name, const char *data, size_t len, struct hd_rec *rec,
                           struct hd_err *err);
/* The same of a whole file that is mapped, from a page on, to be read only. */
enum hd_status hd_rec_open_mapped(const char *name, const char *data, size_t len,
                                  struct hd_rec *rec, struct hd_err *err);
/* A reader that goes through the blocks has read this one: of a mapped file the pages of so many of
 * the last ones that it is worth a call are given back. They come again when they are read again.
 * *from is the reader's own: 0, and where pages begin that it has not given back. */
void hd_rec_was_read(const struct hd_rec *rec, const struct hd_rec_block *block, size_t *from);
void hd_rec_close(struct hd_rec *rec);
/* Unpacks a block into to, which has room for block->raw bytes. */
enum hd_status hd_rec_unpack(const struct hd_rec *rec, const struct hd_rec_block *block,
                             uint8_t *to, struct hd_err *err);
bool hd_rec_has(const struct hd_rec *rec, enum hd_rec_type type);
/* The only block of a type, unpacked and 0-terminated; the caller frees *len + 1 bytes. */
enum hd_status hd_rec_get(const struct hd_rec *rec, enum hd_rec_type type, char **data, size_t *len,
                          struct hd_err *err);

#endif
