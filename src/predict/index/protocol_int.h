/* The inside of a protocol: its steps (protocol_steps.c), its states (protocol_states.c). */
#ifndef HD_PREDICT_INDEX_PROTOCOL_INT_H
#define HD_PREDICT_INDEX_PROTOCOL_INT_H

#include "base/hash.h"
#include "predict/index/protocol.h"

/* Records of one size, each kept once, numbered in the order in which they came. */
struct hd_intern {
    struct hd_map ids; /* hash to number */
    struct hd_vec records;
};

void hd_intern_fini(struct hd_intern *t);
/* The number of the record; *fresh (may be NULL): it is new. */
uint32_t hd_intern_put(struct hd_intern *t, const void *record, bool *fresh);

enum hd_move_kind { HD_MOVE_READ, HD_MOVE_WRITE, HD_MOVE_RMW, HD_MOVE_TAKE, HD_MOVE_GIVE };

/* What one step of a thread does. Values are numbers of the protocol, 0 is one that is unknown. */
struct hd_protocol_move {
    uint8_t kind;
    uint8_t checked; /* the thread goes on as recorded only if the read finds `from` */
    uint8_t itself;  /* rmw: what it stores depends on what it reads */
    uint8_t zero;
    uint16_t object; /* location or lock, by number in the protocol */
    uint16_t from, to;
    uint16_t zero_too; /* records are compared as bytes */
    uint32_t place;
};

struct hd_protocol_edge {
    uint32_t node, move, target;
    uint32_t doomed; /* where a checked read leads that finds something else */
};

/* One thread of a protocol: its events there, in program order, and the node after each. */
struct hd_protocol_thread {
    hd_tid thread;
    uint32_t start;   /* node before the first */
    uint32_t settled; /* so many first events run before any other thread of the protocol is made */
    struct hd_u32vec events, moves, nodes;
    struct hd_u32vec reach; /* by event: how many further ones run before it matters that the read
                             * was stale; 0 for those that are not checked */
};

struct hd_protocol {
    const struct hd_world *w;
    struct hd_u32vec locs, locks;
    struct hd_u32vec
        loc_locks;            /* by location: the lock it is written under; HD_SECTION_NONE: none */
    struct hd_vec threads;    /* struct hd_protocol_thread */
    struct hd_vec *values;    /* by location: struct hd_value; number i + 1 */
    struct hd_intern moves;   /* struct hd_protocol_move */
    struct hd_intern nodes;   /* what distinguishes nodes, see protocol_steps.c */
    struct hd_intern edges;   /* struct hd_protocol_edge */
    uint32_t *edge_start;     /* by node, when all edges are known; in edge_list */
    uint32_t *edge_list;      /* numbers of edges */
    struct hd_u32vec settled; /* values of the locations in the first state */
    uint64_t *together;       /* bit matrix of nodes: some state has both */
};

/* A doomed thread runs so many steps at most; a read that matters later is not checked. */
enum { HD_PROTOCOL_REACH = 4 };
#define HD_NODE_NONE UINT32_MAX

/* Makes the automata of the protocol's threads, whose nodes tell the last `memory` moves apart.
 * False: there is no protocol. */
bool hd_protocol_make(struct hd_protocol *p, unsigned memory);
/* Looks at all states, *states of which are allowed, and takes off what it used. False: there are
 * more, or the scope stopped. */
bool hd_protocol_explore(struct hd_protocol *p, size_t *states);

#endif
