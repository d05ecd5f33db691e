/* Reads a raw log (heddle/rt_log.h), record by record, as often as wanted.
 *
 * The program that wrote it may have died anywhere or written over it: every length is checked, and
 * a record that cannot be whole ends the log there (`broken` tells).
 */
#ifndef HD_DRIVE_RAWLOG_H
#define HD_DRIVE_RAWLOG_H

#include "base/err.h"
#include "heddle/rt_abi.h"
#include "heddle/rt_log.h"

#include <stdbool.h>
#include <stddef.h>

struct hd_raw {
    enum hd_log_kind kind;
    unsigned aux;
    uint64_t site;       /* code address, or address of a struct hd_site */
    uint64_t w[4];       /* the words after the first */
    const uint8_t *data; /* kinds with contents; else NULL */
    size_t len;
    hd_tok addr, val; /* accesses; HD_TOK_NONE when not given */
};

struct hd_rawlog {
    const struct hd_log_header *header;
    const uint8_t *base;
    size_t size;
    size_t chunk; /* the one being read */
    size_t pos;   /* words into it */
    bool broken;
};

/* HD_ERR_IO when it cannot be mapped, HD_ERR_INPUT when it is no raw log. */
enum hd_status hd_rawlog_open(const char *path, struct hd_rawlog *log, struct hd_err *err);
void hd_rawlog_close(struct hd_rawlog *log);
void hd_rawlog_rewind(struct hd_rawlog *log);
bool hd_rawlog_next(struct hd_rawlog *log, struct hd_raw *rec); /* false: the end */

#endif
