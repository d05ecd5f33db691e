/* The entries of a module's debug information (.debug_info, DWARF 2 to 5), one after the other and
 * quickly. libdw looks up what each entry looks like under a lock, and to find the next one reads
 * all that lies below this one: for a walk over everything that was most of the time of a short
 * recording (bench/real/README.md).
 *
 * What is not understood ends its unit: entries may be missing, none is wrong.
 */
#ifndef HD_SYMBOLS_DIES_H
#define HD_SYMBOLS_DIES_H

#include "base/hash.h"
#include "base/vec.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define HD_DIE_NONE UINT64_MAX /* a number that the entry does not have */

/* What an entry is to us: bits. */
enum hd_die_role {
    HD_DIE_READ = 1,
    HD_DIE_SCOPE = 2, /* what is below it is `inside` if it is itself; so is the unit */
};

/* Offsets are those in .debug_info; 0: none. Texts live as long as the module. */
struct hd_die {
    const char *name; /* NULL: none */
    uint64_t offset, type;
    uint64_t origin;       /* the entry that says the rest of it */
    uint64_t size;         /* in bytes */
    uint64_t at;           /* a member: where in its struct */
    uint64_t count, upper; /* of an array */
    uint64_t address;      /* of a variable that has one as long as the program runs */
    unsigned language;     /* of a unit */
    unsigned tag;
    unsigned depth;    /* the unit itself has depth 0 */
    unsigned least;    /* of it and all entries since the one before */
    bool inside;       /* of scopes only */
    bool is_static;    /* a member of no object */
    bool is_elsewhere; /* a variable in a register, on the stack */
};

struct hd_dies_section {
    const uint8_t *data, *end;
};

struct hd_dies {
    struct hd_dies_section info, abbrev, str, line_str, str_offsets, addr, line;
    struct hd_vec shapes, steps; /* of the unit at hand: dies.c */
    const uint8_t *p, *end;      /* where we read; of the unit */
    uint64_t unit;               /* its offset */
    uint64_t str_base, addr_base;
    unsigned (*role)(unsigned tag);
    unsigned version, address_size, offset_size;
    uint64_t looks; /* of the unit: where .debug_abbrev says what its entries look like */
    unsigned depth, least, inside; /* at the next entry; so far all around it are scopes */
    bool cross;                    /* entries of one unit may name those of another one */
    bool bad;
    struct hd_map types; /* of units that are one type: its signature -> its offset */
};

/* False: there is nothing to read. */
bool hd_dies_open(struct hd_dies *d, Dwarf *dwarf, unsigned (*role)(unsigned tag));
void hd_dies_close(struct hd_dies *d);
uint64_t hd_dies_len(const struct hd_dies *d);      /* bytes of all entries */
uint64_t hd_dies_unit_len(const struct hd_dies *d); /* of the unit at hand */
void hd_dies_cross(struct hd_dies *d);              /* before the first unit: fills in `cross` */

/* Goes to the next unit, or to the one at an offset. False: there is none. */
bool hd_dies_unit(struct hd_dies *d);
bool hd_dies_unit_at(struct hd_dies *d, uint64_t offset);
/* The entry of the unit itself, quickly; hd_dies_next begins with it all the same. False: it makes
 * no sense. */
bool hd_dies_head(struct hd_dies *d, struct hd_die *die);
bool hd_dies_unit_crosses(struct hd_dies *d); /* entries of the unit may name those of others */
/* The addresses that entries of the unit name by their number in a table, where all are named so;
 * *n of them. NULL: there is no such table. */
const uint8_t *hd_dies_addresses(const struct hd_dies *d, size_t *n);
/* The next entry of the unit that is to be read, parents before children. False: there is none. */
bool hd_dies_next(struct hd_dies *d, struct hd_die *die);

#endif
