/* A schedule as a picture has it: one lane for each thread, bars for held locks, arrows for the
 * synchronisation between lanes. Shared by the formats that draw.
 *
 * Steps are named by their index in the finding's `steps`. What a thread holds depends on its own
 * steps alone, so bars are the same in both orders; arrows are not.
 */
#ifndef HD_REPORT_FORMAT_LANES_H
#define HD_REPORT_FORMAT_LANES_H

#include "base/vec.h"
#include "report/data/report.h"

#define HD_LANES_NONE UINT32_MAX

/* A lock held from one step to another, or (to: HD_LANES_NONE) to the end of the schedule. */
struct hd_lane_hold {
    uint32_t thread, from, to;
    const char *lock;
    bool shared;
    uint32_t below; /* the hold of the same thread that was the latest when it began, or NONE */
};

enum hd_edge_kind {
    HD_EDGE_LOCK,    /* unlock to lock */
    HD_EDGE_CREATE,  /* creation to first event */
    HD_EDGE_JOIN,    /* last event to join */
    HD_EDGE_NOTIFY,  /* signal, broadcast, post to the one who waited */
    HD_EDGE_BARRIER, /* arrival to departure */
    HD_EDGE_ATOMIC,  /* atomic write to atomic read */
    HD_EDGE_WEAK,    /* the same, but their memory orders do not order the threads */
    HD_EDGE_KINDS
};
extern const char *const hd_edge_names[HD_EDGE_KINDS];

struct hd_lane_edge {
    uint32_t from, to;
    enum hd_edge_kind kind;
};

struct hd_lanes {
    const struct hd_finding *finding;
    const char **threads; /* by first appearance in the recorded order */
    size_t n_threads;
    uint32_t *thread_of; /* by step */
    uint32_t *held;      /* by step: the latest hold while it runs, or NONE; walk on by `below` */
    struct hd_vec holds; /* struct hd_lane_hold */
};

void hd_lanes_init(struct hd_lanes *l, const struct hd_finding *f, struct hd_arena *a);
void hd_lanes_fini(struct hd_lanes *l);

/* The arrows when the steps run in `order` (n_steps indices; NULL: as they stand), in the order of
 * their heads; appended to edges (struct hd_lane_edge). Only between different threads. */
void hd_lanes_edges(const struct hd_lanes *l, const uint32_t *order, struct hd_vec *edges);

/* Chooses at most max steps to show: marks in keep (n_steps flags) the accesses first, then what is
 * essential, then the rest, each from the end backwards. Returns how many are left out. */
size_t hd_lanes_keep(const struct hd_finding *f, size_t max, bool *keep);

#endif
