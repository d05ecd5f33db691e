/* Reads the log of a recording (log/rt_unpack.h), record by record, as often as
 * wanted.
 *
 * The program that wrote it may have died anywhere or written over it: every length is checked, and
 * a record that cannot be whole ends the log there and sets `broken`.
 */
#ifndef HD_RECORDING_RAWLOG_H
#define HD_RECORDING_RAWLOG_H

#include "base/err.h"
#include "base/vec.h"
#include "recording/recfile.h"
#include "abi/rt_abi.h"
#include "log/rt_raw.h"

#include <stdbool.h>
#include <stddef.h>

#define HD_RAW_LEVELS 8 /* forks of forks */

struct hd_rawlog {
    const struct hd_rec *rec;
    const uint64_t *keys; /* by slot */
    uint64_t limit;       /* events; 0: none */
    uint64_t events;      /* so far */
    uint64_t in_rounds;   /* of those, passed over: rawlog_rounds.h */
    struct hd_log_pending pending;
    struct hd_raw_reader in;
    uint8_t *chunk; /* the one being read, and zeros behind it */
    size_t chunk_len, pos;
    uint64_t before;               /* bytes of the log in earlier chunks */
    size_t filled;                 /* bytes of the chunk that may be other than zero */
    size_t block;                  /* the next one */
    size_t mapped_from;            /* see hd_rec_was_read */
    struct hd_u32vec counts;       /* by thread: its events so far, but for the one that runs */
    uint32_t thread;               /* the one that runs */
    unsigned forks[HD_RAW_LEVELS]; /* of a forked process: which child of each ancestor; 0: none */
    unsigned level;                /* whose records are read: the outermost ancestor is 0 */
    bool inherits;                 /* records at this level are of an ancestor */
    bool broken;
    bool last; /* the pending record was given */
};

/* rec and keys stay the caller's. Start with rewind. */
void hd_rawlog_init(struct hd_rawlog *log, const struct hd_rec *rec, const uint64_t *keys,
                    uint32_t n_keys);
void hd_rawlog_fini(struct hd_rawlog *log);
void hd_rawlog_rewind(struct hd_rawlog *log);
uint64_t hd_rawlog_bytes(const struct hd_rawlog *log);          /* all of it */
bool hd_rawlog_next(struct hd_rawlog *log, struct hd_raw *rec); /* false: the end */

#endif
