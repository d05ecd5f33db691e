/* After a skeleton was made the trace is built from the start. What the first walk found stays:
 * the threads, which memory they share, the ends of cells, the types of objects, what calls look
 * at. All that a walk that builds makes goes. */
#include "build/walk.h"

#include <string.h>

static void forget_names(struct hd_walk *w)
{
    hd_details_writer_free(w->names.details);
    w->names.details = hd_details_writer_new();
    w->names.places.len = w->names.detail_of.len = 0;
    hd_map_clear(&w->names.makers);
    hd_names_fini(&w->names.used);
    w->names.used = (struct hd_names){0};
    hd_map_clear(&w->objlocks.numbers);
    if (w->objlocks.counts.len)
        memset(w->objlocks.counts.data, 0,
               w->objlocks.counts.len * sizeof *w->objlocks.counts.data);
}

/* The threads have the numbers that they had. */
static enum hd_status name_threads(struct hd_walk *w)
{
    enum hd_status s = HD_OK;
    bool found = true;
    for (hd_tid tid = 0; found && s == HD_OK; tid++) {
        found = false;
        for (size_t i = 0; !found && i < w->threads.len; i++) {
            struct hd_walk_thread *t = hd_vec_at(&w->threads, i);
            found = t->name && t->tid == tid;
            if (found)
                s = hd_builder_thread(w->out.builder, t->name, strlen(t->name), &t->tid, w->err);
        }
    }
    return s;
}

enum hd_status hd_walk_renew(struct hd_walk *w)
{
    uint64_t from = w->hand.from;
    hd_builder_free(w->out.builder);
    w->out.builder = hd_builder_new();
    hd_origin_fini(&w->out.origins);
    w->out.inserts.len = w->mem.list.len = 0;
    hd_cells_forget_ids(&w->mem.cells);
    forget_names(w);
    hd_depsets_fini(&w->own.sets);
    hd_depsets_init(&w->own.sets);
    hd_walk_hand_fini(w);
    w->hand = (struct hd_walk_hand){0};
    hd_walk_hand_init(w);
    w->hand.from = from;
    hd_polls_fini(&w->polls.rounds);
    hd_polls_init(&w->polls.rounds, HD_WALK_PATIENCE);
    w->own.found = false;
    return name_threads(w);
}
