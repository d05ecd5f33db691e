/* The policies of the scheduler: names for people, numbers for recordings. */
#ifndef HD_LOG_RT_POLICIES_H
#define HD_LOG_RT_POLICIES_H

/* X(KIND, name, number), with `sep` between the rows: the policies that a user can choose, and
 * those that the tool itself leads. Recordings keep the numbers. */
#define HD_POLICIES_CHOSEN(X, sep)                                                                 \
    X(FIFO, fifo, 0) sep X(RANDOM, random, 1) sep X(PCT, pct, 2) sep X(SYNC, sync, 5)
#define HD_POLICIES_LED(X, sep) X(FOLLOW, follow, 3) sep X(STEER, steer, 4)
#define HD_POLICIES(X)          HD_POLICIES_CHOSEN(X, ) HD_POLICIES_LED(X, )

enum hd_policy_kind {
#define HD_POLICY_KIND(kind, name, number) HD_POLICY_##kind = number,
    HD_POLICIES(HD_POLICY_KIND)
#undef HD_POLICY_KIND
};

#endif
