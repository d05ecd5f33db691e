/* Adds the payloads of DATA chunks to a builder (docs/TRACE_FORMAT.md sections 5 and 6). Private to
 * hdt*.c. */
#ifndef HD_TRACE_HDT_HDT_DECODE_H
#define HD_TRACE_HDT_HDT_DECODE_H

#include "base/err.h"
#include "trace/builder_int.h"
#include "trace/hdt/hdt_int.h"

/* A dependence record as far as events are checked against it. */
struct hd_hdt_record {
    uint64_t need;   /* as in struct hd_hdt_site */
    uint32_t offset; /* in the pool */
    uint8_t mask;    /* the sets it gives */
    uint8_t own;     /* distance 0 is in the first set: fits an rmw only */
    uint8_t far;     /* a distance is beyond the bits of `need` */
};

struct hd_hdt_decoder {
    struct hd_builder *b;
    struct hd_hdt_model *model;
    unsigned version;      /* of the file */
    struct hd_vec threads; /* struct hd_hdt_thread by thread */
    struct hd_vec records; /* struct hd_hdt_record by number */
    bool far;              /* some event has a far dependence: hd_hdt_decoder_far is to be called */
    const char *fault;     /* what is wrong with the payload, once something is */
};

void hd_hdt_decoder_init(struct hd_hdt_decoder *d, struct hd_builder *b);
void hd_hdt_decoder_fini(struct hd_hdt_decoder *d);

/* Adds a payload of len bytes that claims n events; the columns have room. False: d->fault gives
 * the reason, and the builder can only be freed. */
bool hd_hdt_decode(struct hd_hdt_decoder *d, const uint8_t *raw, size_t len, uint32_t n);

/* Checks the dependences that could not be checked on the way, on the finished trace. */
bool hd_hdt_decode_check_far(const struct hd_trace *t);

#endif
