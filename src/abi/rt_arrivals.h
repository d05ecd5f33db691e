/* What came from outside while a program was recorded: connections, bytes, signals, the time.
 *
 * The runtime logs one HD_LOG_ARRIVAL for each call of the program on a listening socket or on a
 * connection from outside, in the order of the run. A replay gets them in a file named in the
 * environment (HD_ARRIVALS_ENV) and plays the other side: it connects to the program's own sockets
 * and sends what the recorded clients sent, so no thread has to wait for a client.
 *
 * The file: a header, then the items, each with its contents padded to 8 bytes.
 */
#ifndef HEDDLE_RT_ARRIVALS_H
#define HEDDLE_RT_ARRIVALS_H

#include <stdint.h>

#define HD_ARRIVALS_ENV   "HEDDLE_RT_ARRIVALS"
#define HD_ARRIVALS_MAGIC UINT64_C(0x3152524154444848) /* "HHDTARR1" */

/* Word of HD_LOG_ARRIVAL: kind, and the id << 8. */
enum hd_arrival {
    HD_ARRIVAL_NOTHING = 1, /* the call got nothing from outside */
    HD_ARRIVAL_ACCEPT,      /* connection `id`; contents: uint32_t, which listening socket */
    HD_ARRIVAL_READ,   /* contents: the bytes that one call read from connection `id`; none: end */
    HD_ARRIVAL_READY,  /* contents: uint32_t each, what was ready: id << 2 | enum hd_arrival_source
                        */
    HD_ARRIVAL_SIGNAL, /* signal `id` came to the thread; HD_ARRIVAL_PENDING: it read it */
    HD_ARRIVAL_DATAGRAM, /* contents: a message for datagram socket `id` */
    /* What the clock said when the thread asked, in ns of the virtual clock. In the log the id is
     * what was added since the thread asked last; an item of the file has contents: a varint each
     * for questions that follow each other. */
    HD_ARRIVAL_TIME,
    /* The thread asked for the end of a child without waiting for it, and got an answer: in the log
     * the id is how often it was told "not yet" before << 1, and whether there was a child. Items
     * of the file as of the time. */
    HD_ARRIVAL_WAITED,
};

/* Bit of the id of a signal that waited for the process until the thread read it (signalfd). */
#define HD_ARRIVAL_PENDING 0x100u

/* What a run had from outside that another run cannot have again: bits of `took` in the header of
 * the log. Standard input counts when the program read or asked for it; the driver knows what it
 * is. */
enum hd_took { HD_TOOK_INPUT = 1, HD_TOOK_CLIENT = 2, HD_TOOK_SIGNAL = 4 };

/* Sockets with another side outside; each kind has its own ids. */
enum hd_arrival_source {
    HD_SOURCE_CONNECTION,
    HD_SOURCE_LISTENER,
    HD_SOURCE_DATAGRAM,
    HD_SOURCE_NONE
};

struct hd_arrivals_header {
    uint64_t magic, bytes, n; /* bytes of the file, number of items */
};

struct hd_arrivals_item {
    uint64_t thread; /* hd_arrivals_thread of its way of creation */
    uint32_t kind, id;
    uint64_t len; /* of the contents */
};

/* A thread by its way of creation: from 1, once for each thread on the way from it to the main
 * thread, which itself does not count. `child` is which child of its parent it is. */
static inline uint64_t hd_arrivals_thread(uint64_t h, uint32_t child)
{
    return (h ^ child) * UINT64_C(0x100000001b3);
}

#endif
