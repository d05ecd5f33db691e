/* Rounds of a log: the same few reads and branches of one thread over and over, as a thread writes
 * them that polls. When a round comes as guessed, it leaves the guesses as they were, so the next
 * one is the same bytes; and the same bytes, read with the same guesses, are the same records.
 */
#ifndef HD_RECORDING_RAWLOG_ROUNDS_H
#define HD_RECORDING_RAWLOG_ROUNDS_H

#include "recording/rawlog.h"

struct hd_rawlog_rounds {
    uint64_t times;  /* it is made so often from here on; 0: no round is known */
    uint32_t bytes;  /* of one */
    uint32_t events; /* the same */
};

/* Where the next record begins, in bytes from the start of the log. */
static inline uint64_t hd_rawlog_at(const struct hd_rawlog *log)
{
    return log->before + log->pos;
}

/* Is what follows, so many bytes, a round that leaves the guesses as they are, and reads and
 * branches only? How many events it has; 0: it is none. */
uint32_t hd_rawlog_round(struct hd_rawlog *log, uint64_t bytes);
/* Are the next so many bytes those that came right before, in this chunk? */
bool hd_rawlog_rounds_repeat(const struct hd_rawlog *log, size_t bytes);
/* How often such a round is made. The records are the same each time, but that what they depend on
 * moves along with the thread's count. */
struct hd_rawlog_rounds hd_rawlog_rounds(const struct hd_rawlog *log, uint32_t bytes,
                                         uint32_t events);
/* The same of rounds of any length that are made many times. */
struct hd_rawlog_rounds hd_rawlog_rounds_find(struct hd_rawlog *log);
/* So many of them are passed over. */
void hd_rawlog_rounds_skip(struct hd_rawlog *log, const struct hd_rawlog_rounds *r, uint64_t times);

#endif
