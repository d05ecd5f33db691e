/* Names that a recording carries: of the places of its slots and of variables, so that a trace can
 * be made of it without the program's files.
 */
#ifndef HD_RECORDING_RECNAMES_H
#define HD_RECORDING_RECNAMES_H

#include "base/hash.h"
#include "base/vec.h"
#include "recording/recfile.h"
#include "symbols/symbols.h"

/* Writes the KEYS and SYMBOLS blocks. keys[1] to keys[n_keys - 1] are those of rt_pack.h. */
void hd_recnames_write(struct hd_rec_writer *w, const uint64_t *keys, uint32_t n_keys,
                       struct hd_symbols *symbols);

struct hd_recnames {
    char *keys_block, *symbols_block; /* unpacked */
    size_t keys_len, symbols_len;
    struct hd_vec keys;    /* uint64_t by slot */
    struct hd_vec code;    /* struct hd_recnames_code, entry 0 is empty */
    struct hd_map by_pc;   /* code address -> entry */
    struct hd_vec modules; /* struct hd_recnames_symbol, by address */
    struct hd_vec symbols; /* the same */
};

struct hd_recnames_code {
    const char *place, *function;
    uint32_t column;
};

struct hd_recnames_symbol {
    uint64_t addr, size;
    const char *name;
};

/* HD_ERR_INPUT when the blocks are missing or damaged. hd_recnames_fini afterwards in any case. */
enum hd_status hd_recnames_read(const struct hd_rec *rec, struct hd_recnames *d,
                                struct hd_err *err);
void hd_recnames_fini(struct hd_recnames *d);
/* "dir/file.c:12" as compiled, or "function", or "module". False: nothing known. */
bool hd_recnames_place(const struct hd_recnames *d, uint64_t pc, char *out, size_t size);
/* The function that pc lies in. False: nothing known. */
bool hd_recnames_function(const struct hd_recnames *d, uint64_t pc, char *out, size_t size);
uint32_t hd_recnames_column(const struct hd_recnames *d, uint64_t pc); /* 0: not known */
/* The module that an address lies in. False: nothing known. */
bool hd_recnames_module(const struct hd_recnames *d, uint64_t addr, char *out, size_t size);
/* "variable" or "variable+8". False: nothing known. */
bool hd_recnames_data(const struct hd_recnames *d, uint64_t addr, char *out, size_t size);

#endif
