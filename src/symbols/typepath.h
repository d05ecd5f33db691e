/* The way from an object to a part of it: ".slots[3].len". */
#ifndef HD_SYMBOLS_TYPEPATH_H
#define HD_SYMBOLS_TYPEPATH_H

#include "symbols/objects.h"
#include "symbols/symbols_int.h"

/* Of types and members: what they have is their own. False: none. */
bool hd_typepath_type(Dwarf_Die *die, Dwarf_Die *out);
/* Bytes that an object of the type takes; 0: not known. */
uint64_t hd_typepath_size(Dwarf_Die *type);
/* Appends to the name of the object what lies `offset` bytes behind its start, as far as the `size`
 * bytes there show. Stops at classes of the C++ library and notes them. */
void hd_typepath_append(Dwarf_Die *type, uint64_t offset, uint64_t size, struct hd_object *o);

#endif
