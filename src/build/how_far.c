/* How far reading is, over all walks. */
#include "build/walk.h"

/* What walks take, about, for a byte of the log. MARK is the first one; BUILD those over the whole
 * log after it, of which SKELETON is one that notes more; SIEVED reads what the sieve kept. */
enum { WORK_MARK = 5, WORK_SKELETON = 6, WORK_BUILD = 4, WORK_SIEVED = 1 };

/* How far the walk is. */
static double walked(const struct hd_walk *w)
{
    double all = (double)hd_rawlog_bytes(&w->log);
    if (w->sieve.reading && w->sieve.records)
        return (double)w->log.events / (double)w->sieve.records;
    return all > 0 ? (double)(w->log.before + w->log.pos) / all : 1;
}

/* A walk gets its share of what is left, as far as the walks after it can be foreseen. So what is
 * told goes up to the end of the last one, whatever has to be done once more. */
void hd_walk_foresee(struct hd_walk *w)
{
    unsigned now = w->sieve.reading          ? WORK_SIEVED
                   : w->pass == HD_WALK_MARK ? WORK_MARK
                   : w->own.hand             ? WORK_SKELETON
                                             : WORK_BUILD;
    unsigned later = w->settled                ? 0
                     : w->pass == HD_WALK_MARK ? WORK_SKELETON + WORK_BUILD
                     : w->own.hand             ? WORK_BUILD
                                               : WORK_SIEVED;
    w->progress.share = (1 - w->progress.before) * now / (now + later);
}

void hd_walk_tell(const struct hd_walk *w)
{
    const struct hd_build_watch *watch = w->progress.watch;
    uint64_t total = hd_rawlog_bytes(&w->log) / 1024;
    double done = w->progress.before + w->progress.share * walked(w);
    if (watch && watch->progress)
        watch->progress(watch->ctx, (uint64_t)((double)total * done), total);
}
