/* The end of a recording: names, settings, outcome; and the notes for the user. */
#ifndef HD_RECORD_RECORDING_FINISH_H
#define HD_RECORD_RECORDING_FINISH_H

#include "base/bytes.h"
#include "record/record.h"
#include "record/ring.h"

/* program: its file. input: what of its standard input is kept, or NULL. The program has ended and
 * the ring is drained. Fills in events, threads, bytes and info of the result. When the disk is
 * full, log blocks at the end are given up until the rest fits; info.lost is then set. HD_ERR_INPUT
 * when no instrumented program ran, HD_ERR_IO when nothing can be written. */
enum hd_status hd_recording_finish_write(const struct hd_record_opts *opts, const char *program,
                                         const struct hd_bytes *input, struct hd_ring *ring,
                                         struct hd_rec_writer *out, struct hd_record_result *result,
                                         struct hd_err *err);

/* A process that is not the first of its run. */
struct hd_finish_process {
    const char *name;      /* as in `target` of log/rt_log.h */
    const unsigned *forks; /* which child of each ancestor it comes from, since the last exec */
    size_t n_forks;
    bool keep_all; /* as in struct hd_record_opts */
};

/* The same for other runs and other processes: names and modules only. who: NULL for the first. */
void hd_recording_finish_short(const struct hd_ring *ring, const struct hd_finish_process *who,
                               struct hd_rec_writer *out);

#endif
