#include "symbols/typepath.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEP 16

bool hd_typepath_type(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute attr;
    return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, out);
}

uint64_t hd_typepath_size(Dwarf_Die *type)
{
    Dwarf_Word size = 0;
    return dwarf_aggregate_size(type, &size) ? 0 : size;
}

static uint64_t number(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
    Dwarf_Attribute attr;
    Dwarf_Word value;
    return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, &value) ? value : otherwise;
}

__attribute__((format(printf, 2, 3))) static void add(struct hd_object *o, const char *fmt, ...)
{
    size_t len = strlen(o->name);
    va_list args;
    va_start(args, fmt);
    vsnprintf(o->name + len, sizeof o->name - len, fmt, args);
    va_end(args);
}

/* Through typedef, const, volatile and atomic. */
static void strip(Dwarf_Die *type)
{
    Dwarf_Die next;
    for (int i = 0; i < DEEP; i++) {
        int tag = dwarf_tag(type);
        if ((tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
             tag != DW_TAG_atomic_type) ||
            !hd_typepath_type(type, &next))
            return;
        *type = next;
    }
}

/* "vector<int, std::allocator<int> >" of namespace std: "std::vector<int>". */
static bool is_of_library(Dwarf_Die *type, struct hd_object *o)
{
    Dwarf_Die *scopes = NULL;
    int n = dwarf_getscopes_die(type, &scopes);
    bool found = false;
    for (int i = 1; i < n; i++) {
        const char *name =
            dwarf_tag(&scopes[i]) == DW_TAG_namespace ? dwarf_diename(&scopes[i]) : NULL;
        found = found || (name && (!strcmp(name, "std") || !strcmp(name, "__gnu_cxx")));
    }
    free(scopes);
    const char *name = found ? dwarf_diename(type) : NULL;
    if (!name || !strncmp(name, "pair<", 5) || !strncmp(name, "array<", 6))
        return false; /* whose parts everybody knows */
    const char *rest = strstr(name, ", std::allocator<");
    static const char *const defaults[] = {", std::less<", ", std::hash<"};
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(name, defaults[i]);
        rest = at && (!rest || at < rest) ? at : rest;
    }
    if (!strncmp(name, "basic_string<char,", 18))
        snprintf(o->inside, sizeof o->inside, "std::string");
    else if (rest)
        snprintf(o->inside, sizeof o->inside, "std::%.*s>", (int)(rest - name), name);
    else
        snprintf(o->inside, sizeof o->inside, "std::%s", name);
    return true;
}

/* Steps into an array; false: it cannot be told which element. */
static bool step_array(Dwarf_Die *array, uint64_t *offset, uint64_t size, struct hd_object *o)
{
    Dwarf_Die element, child;
    uint64_t counts[8], n = 0, each;
    if (!hd_typepath_type(array, &element) || dwarf_child(array, &child))
        return false;
    each = hd_typepath_size(&element);
    do {
        uint64_t upper = number(&child, DW_AT_upper_bound, UINT64_MAX);
        if (dwarf_tag(&child) == DW_TAG_subrange_type && n < 8)
            counts[n++] = number(&child, DW_AT_count, upper + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
    if (!each || !n || size > each)
        return false; /* several elements */
    uint64_t index = *offset / each, below = 1;
    for (uint64_t i = 1; i < n; i++)
        below *= counts[i];
    for (uint64_t i = 0; i < n && below; i++) {
        add(o, "[%llu]", (unsigned long long)(index / below));
        index %= below;
        below /= i + 1 < n && counts[i + 1] ? counts[i + 1] : 1;
    }
    *offset %= each;
    *array = element;
    return true;
}

/* Where the member lies, in bits, and how many. */
static bool extent(Dwarf_Die *member, uint64_t *from, uint64_t *bits)
{
    Dwarf_Die type;
    if (!hd_typepath_type(member, &type) || number(member, DW_AT_external, 0))
        return false;
    uint64_t bytes = number(member, DW_AT_data_member_location, 0);
    *from = number(member, DW_AT_data_bit_offset, bytes * 8);
    *bits = number(member, DW_AT_bit_size, hd_typepath_size(&type) * 8);
    return true;
}

/* All bit-fields that the bytes hold. */
static void add_bits(Dwarf_Die *type, uint64_t offset, uint64_t size, struct hd_object *o)
{
    Dwarf_Die child;
    uint64_t from, bits, n = 0;
    if (dwarf_child(type, &child))
        return;
    do {
        if (dwarf_tag(&child) != DW_TAG_member || !dwarf_diename(&child) ||
            !number(&child, DW_AT_bit_size, 0) || !extent(&child, &from, &bits))
            continue;
        if (from < (offset + size) * 8 && from + bits > offset * 8)
            add(o, "%s%s", n++ ? "|" : ".", dwarf_diename(&child));
    } while (dwarf_siblingof(&child, &child) == 0);
    o->bits = n > 0;
}

/* The member or base that holds all of the bytes. Of a union it is not known which. */
static bool member_at(Dwarf_Die *type, uint64_t offset, uint64_t size, Dwarf_Die *out)
{
    uint64_t from, bits;
    if (dwarf_tag(type) == DW_TAG_union_type || dwarf_child(type, out))
        return false;
    do {
        int tag = dwarf_tag(out);
        if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && extent(out, &from, &bits) &&
            from <= offset * 8 && (offset + size) * 8 <= from + bits)
            return true;
    } while (dwarf_siblingof(out, out) == 0);
    return false;
}

/* Steps into a struct; false: no single member. */
static bool step_struct(Dwarf_Die *type, uint64_t *offset, uint64_t size, struct hd_object *o)
{
    Dwarf_Die member;
    if (size && *offset == 0 && size >= hd_typepath_size(type) && size > 8)
        return false; /* as a whole */
    if (!member_at(type, *offset, size ? size : 1, &member)) {
        if (dwarf_tag(type) != DW_TAG_union_type)
            add_bits(type, *offset, size ? size : 1, o);
        return false;
    }
    const char *name = dwarf_diename(&member);
    if (number(&member, DW_AT_bit_size, 0)) {
        add_bits(type, *offset, size ? size : 1, o);
        return false;
    }
    bool elements = name && !strcmp(name, "_M_elems"); /* of std::array */
    if (dwarf_tag(&member) == DW_TAG_member && name && *name && !elements)
        add(o, strncmp(name, "_vptr", 5) ? ".%s" : ".(%s)",
            strncmp(name, "_vptr", 5) ? name : "vtable pointer");
    *offset -= number(&member, DW_AT_data_member_location, 0);
    return hd_typepath_type(&member, type);
}

void hd_typepath_append(Dwarf_Die *type, uint64_t offset, uint64_t size, struct hd_object *o)
{
    Dwarf_Die at = *type;
    for (int i = 0; i < DEEP; i++) {
        strip(&at);
        switch (dwarf_tag(&at)) {
        case DW_TAG_array_type:
            if (!step_array(&at, &offset, size, o))
                return;
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            if (is_of_library(&at, o) || !step_struct(&at, &offset, size, o))
                return;
            break;
        default:
            return;
        }
    }
}
