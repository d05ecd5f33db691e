/* The driver's side of the shared log (log/rt_log.h): makes it, and takes finished chunks out of
 * it while the program runs, in a thread of its own.
 *
 * Chunks go to a recording. When that cannot be written any more the rest is thrown away and the
 * runtime is told to stop logging; the program is never held up by it.
 */
#ifndef HD_RECORD_RING_H
#define HD_RECORD_RING_H

#include "base/err.h"
#include "recording/recfile.h"
#include "log/rt_log.h"

#include <pthread.h>

struct hd_ring {
    int id;                       /* of the shared memory */
    struct hd_log_header *header; /* NULL: not open */
    struct hd_rec_writer *out;
    pthread_t thread;
    bool running;
    uint32_t done;     /* futex: the program has ended */
    uint64_t end;      /* of the log, as in events_end of the header */
    int error;         /* why chunks are thrown away */
    uint64_t max_size; /* of the recording, names included as far as they are known; 0: none */
    uint64_t kept;     /* events in the chunks that were taken so far */
    uint64_t stopped;  /* events that were kept when it was that long; 0: it never was */
};

/* Settings are copied into the header; magic, version and driver are filled in. */
enum hd_status hd_ring_open(struct hd_ring *r, const struct hd_log_header *settings,
                            struct hd_err *err);
void hd_ring_path(const struct hd_ring *r, char *out, size_t size); /* value of HD_LOG_ENV */
void hd_ring_start(struct hd_ring *r, struct hd_rec_writer *out);
/* The program has ended: drains everything. */
void hd_ring_finish(struct hd_ring *r);
void hd_ring_close(struct hd_ring *r);
uint64_t hd_ring_position(const struct hd_ring *r); /* bytes of log so far, as a mark */
size_t hd_ring_used(const uint8_t *chunk); /* bytes of a chunk without the zeros at its end */
const uint64_t *hd_ring_keys(const struct hd_ring *r, uint32_t *n); /* n counts slot 0, too */

#endif
