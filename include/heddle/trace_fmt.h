/* The constants of the binary trace format, versions 1 to 3. docs/TRACE_FORMAT.md is normative and
 * explains them; tests/unit/test_trace_hdt_doc.c compares its tables with this file and with
 * trace/ops.h.
 *
 * All integers are little-endian. Nothing here is a struct on purpose: a file is read and written
 * byte by byte at these offsets, never through a C layout.
 */
#ifndef HEDDLE_TRACE_FMT_H
#define HEDDLE_TRACE_FMT_H

#define HD_HDT_MAGIC      "\x89HDT\r\n\x1a\n" /* not text; shows line-end conversion */
#define HD_HDT_MAGIC_LEN  8
#define HD_HDT_VERSION    3 /* 1 and 2 are written where nothing needs a later one */
#define HD_HDT_ORDERS     2 /* from this version on */
#define HD_HDT_EXCLUSIONS 3

/* X(NAME, offset, bytes): the file header. */
#define HD_HDT_HEADER_FIELDS(X)                                                                    \
    X(MAGIC, 0, 8)                                                                                 \
    X(VERSION, 8, 2)                                                                               \
    X(HEADER_SIZE, 10, 2)                                                                          \
    X(FLAGS, 12, 4)                                                                                \
    X(HEADER_CRC, 16, 4)
#define HD_HDT_HEADER_BYTES 20

/* Header flags. Unknown ones are refused. */
#define HD_HDT_HEADER_BRANCHES 1u /* !control branches */

/* X(NAME, offset, bytes): the header of each chunk. */
#define HD_HDT_CHUNK_FIELDS(X)                                                                     \
    X(TYPE, 0, 2)                                                                                  \
    X(CHUNK_FLAGS, 2, 2)                                                                           \
    X(SEQUENCE, 4, 4)                                                                              \
    X(STORED_BYTES, 8, 4)                                                                          \
    X(RAW_BYTES, 12, 4)                                                                            \
    X(EVENTS, 16, 4)                                                                               \
    X(PAYLOAD_CRC, 20, 4)                                                                          \
    X(CHUNK_CRC, 24, 4)
#define HD_HDT_CHUNK_BYTES 28

/* Offsets by name: HD_HDT_AT_VERSION is 8. */
enum {
#define HD_HDT_AT(name, offset, bytes) HD_HDT_AT_##name = offset,
    HD_HDT_HEADER_FIELDS(HD_HDT_AT) HD_HDT_CHUNK_FIELDS(HD_HDT_AT)
#undef HD_HDT_AT
};

/* X(NAME, number): chunk types. */
#define HD_HDT_CHUNKS(X)                                                                           \
    X(DATA, 1)                                                                                     \
    X(END, 2)                                                                                      \
    X(META, 3)
enum {
#define HD_HDT_CHUNK_ENUM(name, number) HD_HDT_CHUNK_##name = number,
    HD_HDT_CHUNKS(HD_HDT_CHUNK_ENUM)
#undef HD_HDT_CHUNK_ENUM
};

/* Chunk flags. Unknown ones are refused unless OPTIONAL is set. */
#define HD_HDT_OPTIONAL 1u /* a reader that does not know the type skips the chunk */
#define HD_HDT_ZSTD     2u /* the payload is stored as zstd frames; else as it is */

#define HD_HDT_MAX_KEY   255 /* bytes of the key of META */
#define HD_HDT_END_BYTES 8   /* payload of END: the number of events */

/* The payload of DATA opens with the byte lengths of these streams, four bytes each, in this order;
 * the control stream, one byte an event, has no length of its own. X(NAME, position). */
#define HD_HDT_STREAMS(X)                                                                          \
    X(INTRO, 0)                                                                                    \
    X(RUNS, 1)                                                                                     \
    X(SITE_REFS, 2)                                                                                \
    X(SITE_DEFS, 3)                                                                                \
    X(OBJECTS, 4)                                                                                  \
    X(VALUES, 5)
enum {
#define HD_HDT_STREAM_ENUM(name, position) HD_HDT_##name = position,
    HD_HDT_STREAMS(HD_HDT_STREAM_ENUM)
#undef HD_HDT_STREAM_ENUM
        HD_HDT_N_STREAMS
};

/* The control byte of an event. */
#define HD_HDT_SITE_SHIFT   0
#define HD_HDT_OBJECT_SHIFT 2
#define HD_HDT_VALUE_SHIFT  4
#define HD_HDT_OLD_BIT      0x40u /* rmw: the old value is explicit */
enum { HD_HDT_SITE_NEXT, HD_HDT_SITE_OTHER, HD_HDT_SITE_REF, HD_HDT_SITE_NEW };
enum { HD_HDT_OBJ_STRIDE, HD_HDT_OBJ_SAME, HD_HDT_OBJ_FRESH, HD_HDT_OBJ_EXPLICIT };
enum { HD_HDT_VAL_PREDICTED, HD_HDT_VAL_COPIED, HD_HDT_VAL_REPEATED, HD_HDT_VAL_EXPLICIT };

/* The predictor. */
#define HD_HDT_SITES          65536u /* a slot fits two bytes */
#define HD_HDT_CONTEXTS       32768u
#define HD_HDT_CONTEXT_FACTOR 2531u /* spreads the threads; odd */

/* A site definition: the op in the low six bits; HD_HDT_DEF_MARK for a value that was left out, or
 * a lock that is only tried; HD_HDT_DEF_ORDER (from version 2 on) when a byte with the memory order
 * follows. */
#define HD_HDT_DEF_MARK  0x80u
#define HD_HDT_DEF_ORDER 0x40u

/* Limits a reader may rely on before it allocates. A payload of DATA of `stored` bytes unpacks to
 * at most HD_HDT_RATIO_BASE + HD_HDT_RATIO * stored bytes. */
#define HD_HDT_MAX_RAW    (1u << 26)
#define HD_HDT_MAX_EVENTS (1u << 20) /* in one chunk */
#define HD_HDT_RATIO      64u
#define HD_HDT_RATIO_BASE 1024u

#endif
