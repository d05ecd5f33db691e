#include "symbols/dies.h"

#include <dwarf.h>
#include <libelf.h>
#include <gelf.h>
#include <limits.h>
#include <string.h>

/* What entries of one kind look like. */
struct shape {
    uint64_t code;
    unsigned tag;
    bool children;
    unsigned role;     /* of enum hd_die_role */
    uint32_t first, n; /* of its steps */
};

/* An attribute, and how many bytes it and those after it take, up to the first one of which that is
 * not known: 0 if it is this one. */
struct step {
    unsigned attribute, form;
    uint64_t constant; /* of the form implicit_const */
    uint32_t skip, n;  /* bytes; attributes */
};

/* ---- bytes ---- */

static uint64_t fixed(struct hd_dies *d, unsigned n)
{
    uint64_t v = 0;
    if ((size_t)(d->end - d->p) < n) {
        d->bad = true;
        d->p = d->end;
        return 0;
    }
    memcpy(&v, d->p, n); /* little-endian, as the machine */
    d->p += n;
    return v;
}

static void pass(struct hd_dies *d, uint64_t n)
{
    d->bad = d->bad || (uint64_t)(d->end - d->p) < n;
    d->p = d->bad ? d->end : d->p + n;
}

/* LEB128; sign: what follows the last bit is that one. */
static uint64_t long_leb(struct hd_dies *d, bool sign)
{
    uint64_t v = 0;
    for (unsigned shift = 0; d->p < d->end; shift += 7) {
        uint8_t byte = *d->p++;
        if (shift < 64)
            v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return sign && (byte & 0x40) && shift + 7 < 64 ? v | UINT64_MAX << (shift + 7) : v;
    }
    d->bad = true;
    return 0;
}

static inline uint64_t leb(struct hd_dies *d)
{
    return d->p < d->end && *d->p < 0x80 ? *d->p++ : long_leb(d, false);
}

static const char *text_at(const struct hd_dies_section *s, uint64_t offset)
{
    if (offset >= (uint64_t)(s->end - s->data))
        return NULL;
    const uint8_t *p = s->data + offset;
    return memchr(p, 0, (size_t)(s->end - p)) ? (const char *)p : NULL;
}

/* Entry i of a table of numbers of n bytes that begins at base; 0: there is none. */
static uint64_t entry_of(const struct hd_dies_section *s, uint64_t base, uint64_t i, unsigned n)
{
    uint64_t v = 0, len = (uint64_t)(s->end - s->data);
    if (base <= len && i < (len - base) / n)
        memcpy(&v, s->data + base + i * n, n);
    return v;
}

/* ---- attributes ---- */

struct value {
    enum { OTHER, NUMBER, NAME, REFERENCE, EXPRESSION } what;
    uint64_t number;
    const char *text;
    const uint8_t *bytes; /* number of them */
};

/* Bytes of a form, for those that always have the same. */
static int bytes_of(const struct hd_dies *d, unsigned form)
{
    switch (form) {
    case DW_FORM_implicit_const:
    case DW_FORM_flag_present:
        return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
        return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
        return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
        return 8;
    case DW_FORM_data16:
        return 16;
    case DW_FORM_addr:
        return (int)d->address_size;
    case DW_FORM_ref_addr:
        return (int)(d->version < 3 ? d->address_size : d->offset_size);
    case DW_FORM_sec_offset:
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
        return (int)d->offset_size;
    default:
        return -1;
    }
}

static void read_bytes(struct hd_dies *d, uint64_t n, struct value *v)
{
    *v = (struct value){EXPRESSION, n, NULL, d->p};
    pass(d, n);
}

/* Forms whose number of bytes is in the entry. */
static void read_long(struct hd_dies *d, unsigned form, struct value *v)
{
    switch (form) {
    case DW_FORM_udata:
    case DW_FORM_sdata:
        *v = (struct value){.what = NUMBER,
                            .number = form == DW_FORM_sdata ? long_leb(d, true) : leb(d)};
        break;
    case DW_FORM_ref_udata:
        *v = (struct value){.what = REFERENCE, .number = d->unit + leb(d)};
        break;
    case DW_FORM_strx:
        *v = (struct value){.what = NAME, .number = leb(d)};
        break;
    case DW_FORM_string:
        v->what = NAME;
        v->text = (const char *)d->p;
        const uint8_t *zero = memchr(d->p, 0, (size_t)(d->end - d->p));
        pass(d, zero ? (uint64_t)(zero - d->p) + 1 : UINT64_MAX);
        break;
    case DW_FORM_exprloc:
    case DW_FORM_block:
        read_bytes(d, leb(d), v);
        break;
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
        read_bytes(d, fixed(d, form == DW_FORM_block1 ? 1 : form == DW_FORM_block2 ? 2 : 4), v);
        break;
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
        leb(d);
        break;
    default: /* of no known length */
        d->bad = true;
    }
}

static uint64_t type_unit(struct hd_dies *d, uint64_t signature)
{
    uint32_t offset;
    return hd_map_get(&d->types, signature, &offset) ? offset : 0;
}

static void read_short(struct hd_dies *d, const struct step *s, unsigned n, struct value *v)
{
    uint64_t number = 0;
    if (n > 8)
        pass(d, n);
    else
        number = fixed(d, n);
    switch (s->form) {
    case DW_FORM_implicit_const:
        *v = (struct value){.what = NUMBER, .number = s->constant};
        break;
    case DW_FORM_flag_present:
        *v = (struct value){.what = NUMBER, .number = 1};
        break;
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_flag:
    case DW_FORM_sec_offset:
        *v = (struct value){.what = NUMBER, .number = number};
        break;
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
        *v = (struct value){.what = REFERENCE, .number = d->unit + number};
        break;
    case DW_FORM_ref_addr:
        *v = (struct value){.what = REFERENCE, .number = number};
        break;
    case DW_FORM_ref_sig8:
        *v = (struct value){.what = REFERENCE, .number = type_unit(d, number)};
        break;
    case DW_FORM_strp:
        *v = (struct value){.what = NAME, .text = text_at(&d->str, number)};
        break;
    case DW_FORM_line_strp:
        *v = (struct value){.what = NAME, .text = text_at(&d->line_str, number)};
        break;
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
        *v = (struct value){.what = NAME, .number = number};
        break;
    default:
        break;
    }
}

static void read_value(struct hd_dies *d, const struct step *s, struct value *v)
{
    int n = bytes_of(d, s->form);
    *v = (struct value){0};
    if (n >= 0)
        read_short(d, s, (unsigned)n, v);
    else
        read_long(d, s->form, v);
    if (v->what == NAME && !v->text)
        v->text =
            text_at(&d->str, entry_of(&d->str_offsets, d->str_base, v->number, d->offset_size));
}

/* The address that is all of an expression. */
static uint64_t address_in(struct hd_dies *d, const struct value *v)
{
    struct hd_dies at = *d;
    at.p = v->bytes;
    at.end = v->bytes + v->number;
    uint64_t op = fixed(&at, 1), address = HD_DIE_NONE;
    if (op == DW_OP_addr)
        address = fixed(&at, d->address_size);
    else if (op == DW_OP_addrx)
        address = entry_of(&d->addr, d->addr_base, leb(&at), d->address_size);
    return at.bad || at.p != at.end ? HD_DIE_NONE : address;
}

/* Where a member is, of which DWARF 2 says how to get there. */
static uint64_t offset_in(struct hd_dies *d, const struct value *v)
{
    struct hd_dies at = *d;
    at.p = v->bytes;
    at.end = v->bytes + v->number;
    uint64_t offset = fixed(&at, 1) == DW_OP_plus_uconst ? leb(&at) : HD_DIE_NONE;
    return at.bad || at.p != at.end ? HD_DIE_NONE : offset;
}

static void take(struct hd_dies *d, unsigned attribute, const struct value *v, struct hd_die *die)
{
    uint64_t number = v->what == NUMBER ? v->number : HD_DIE_NONE;
    switch (attribute) {
    case DW_AT_name:
        die->name = v->what == NAME ? v->text : NULL;
        break;
    case DW_AT_type:
        die->type = v->what == REFERENCE ? v->number : 0;
        break;
    case DW_AT_specification:
    case DW_AT_abstract_origin:
        die->origin = v->what == REFERENCE ? v->number : 0;
        break;
    case DW_AT_byte_size:
        die->size = number;
        break;
    case DW_AT_data_member_location:
        die->at = v->what == EXPRESSION ? offset_in(d, v) : number;
        break;
    case DW_AT_count:
        die->count = number;
        break;
    case DW_AT_upper_bound:
        die->upper = number;
        break;
    case DW_AT_external:
        die->is_static = number == 1;
        break;
    case DW_AT_language:
        die->language = (unsigned)number;
        break;
    case DW_AT_location:
        die->address = v->what == EXPRESSION ? address_in(d, v) : HD_DIE_NONE;
        die->is_elsewhere = die->address == HD_DIE_NONE;
        break;
    case DW_AT_str_offsets_base:
        d->str_base = number;
        break;
    case DW_AT_addr_base:
        d->addr_base = number;
        break;
    default:
        break;
    }
}

/* ---- shapes ---- */

/* From the last attribute to the first: what lies between two that are of no fixed length is
 * skipped at once. */
static void sum_up(struct hd_dies *d, const struct shape *shape)
{
    struct step *after = NULL;
    for (uint32_t i = shape->n; i-- > 0;) {
        struct step *s = hd_vec_at(&d->steps, shape->first + i);
        int n = bytes_of(d, s->form);
        s->n = n < 0 ? 0 : 1 + (after ? after->n : 0);
        s->skip = n < 0 ? 0 : (uint32_t)n + (after ? after->skip : 0);
        after = s;
    }
}

/* Whether a variable may have an address of its own, or say what another one is called. Most are
 * locals in registers. */
static bool may_have_address(const struct hd_dies *d, const struct shape *shape)
{
    bool named = true;
    for (uint32_t i = 0; i < shape->n; i++) {
        const struct step *s = hd_vec_at(&d->steps, shape->first + i);
        if (s->attribute == DW_AT_location)
            return bytes_of(d, s->form) < 0 && s->form != DW_FORM_loclistx;
        named = named && s->attribute != DW_AT_abstract_origin;
    }
    return named;
}

/* One shape at p; false: there is no further one. */
static bool read_shape(struct hd_dies *d)
{
    struct shape shape = {.code = leb(d), .first = (uint32_t)d->steps.len};
    if (!shape.code || d->bad)
        return false;
    shape.tag = (unsigned)leb(d);
    shape.children = fixed(d, 1);
    for (;;) {
        struct step s = {.attribute = (unsigned)leb(d)};
        s.form = (unsigned)leb(d);
        if (d->bad || (!s.attribute && !s.form))
            break;
        if (s.form == DW_FORM_implicit_const)
            s.constant = long_leb(d, true);
        *(struct step *)hd_vec_push(&d->steps) = s;
        shape.n++;
    }
    sum_up(d, &shape);
    shape.role = d->role ? d->role(shape.tag) : 0;
    if (shape.tag == DW_TAG_variable && !may_have_address(d, &shape))
        shape.role &= ~(unsigned)HD_DIE_READ;
    *(struct shape *)hd_vec_push(&d->shapes) = shape;
    return !d->bad;
}

/* Reads the shapes of the unit, the first n at most. */
static void read_shapes(struct hd_dies *d, size_t n)
{
    const uint8_t *p = d->p, *end = d->end;
    d->shapes.len = d->steps.len = 0;
    d->end = d->abbrev.end;
    d->bad = d->looks >= (uint64_t)(d->abbrev.end - d->abbrev.data);
    d->p = d->bad ? d->end : d->abbrev.data + d->looks;
    while (!d->bad && d->shapes.len < n && read_shape(d))
        ;
    d->p = p;
    d->end = end;
}

static const struct shape *search_shape(const struct hd_dies *d, uint64_t code)
{
    const struct shape *s;
    for (size_t i = 0; i < d->shapes.len; i++) {
        s = hd_vec_at(&d->shapes, i);
        if (s->code == code)
            return s;
    }
    return NULL;
}

static inline const struct shape *shape_of(const struct hd_dies *d, uint64_t code)
{
    const struct shape *shapes = d->shapes.data;
    bool numbered = code - 1 < d->shapes.len && shapes[code - 1].code == code; /* as a rule */
    return numbered ? &shapes[code - 1] : search_shape(d, code);
}

/* ---- units ---- */

static void section(Elf *elf, size_t names, Elf_Scn *scn, struct hd_dies *d)
{
    static const char *const known[] = {"info",        "abbrev", "str", "line_str",
                                        "str_offsets", "addr",   "line"};
    struct hd_dies_section *const to[] = {&d->info,        &d->abbrev, &d->str, &d->line_str,
                                          &d->str_offsets, &d->addr,   &d->line};
    GElf_Shdr head;
    const char *name = gelf_getshdr(scn, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;
    Elf_Data *data = NULL;
    if (!name || head.sh_type == SHT_NOBITS)
        return;
    name += strncmp(name, ".z", 2) ? 1 : 2; /* .zdebug_: libdw has unpacked them all */
    for (size_t i = 0; !strncmp(name, "debug_", 6) && i < sizeof known / sizeof *known; i++)
        if (!strcmp(name + 6, known[i]) && (data = elf_getdata(scn, NULL)) && data->d_buf)
            *to[i] =
                (struct hd_dies_section){data->d_buf, (const uint8_t *)data->d_buf + data->d_size};
}

static void read_type_head(struct hd_dies *d)
{
    uint64_t signature = fixed(d, 8), offset = d->unit + fixed(d, d->offset_size);
    if (!d->bad && offset < UINT32_MAX)
        *hd_map_put(&d->types, signature, NULL) = (uint32_t)offset;
}

/* What stands before the entries of a unit, behind its length and version. */
static bool read_head(struct hd_dies *d)
{
    uint64_t kind = DW_UT_compile;
    if (d->version >= 5) {
        kind = fixed(d, 1);
        d->address_size = (unsigned)fixed(d, 1);
        d->looks = fixed(d, d->offset_size);
    } else {
        d->looks = fixed(d, d->offset_size);
        d->address_size = (unsigned)fixed(d, 1);
    }
    if (kind == DW_UT_type)
        read_type_head(d);
    else if (kind == DW_UT_skeleton || kind == DW_UT_split_compile)
        pass(d, 8);
    d->shapes.len = 0; /* read when an entry is */
    return !d->bad && d->version >= 2 && d->version <= 5 && d->address_size <= 8 && d->address_size;
}

bool hd_dies_unit(struct hd_dies *d)
{
    for (;;) {
        d->p = d->end;
        d->end = d->info.end;
        d->bad = false;
        d->unit = (uint64_t)(d->p - d->info.data);
        d->depth = d->inside = 0;
        d->str_base = d->addr_base = HD_DIE_NONE;
        d->offset_size = 4;
        uint64_t len = fixed(d, 4);
        if (len == UINT32_MAX) {
            d->offset_size = 8;
            len = fixed(d, 8);
        }
        if (d->bad || !len || len > (uint64_t)(d->end - d->p))
            return false;
        d->end = d->p + len;
        d->version = (unsigned)fixed(d, 2);
        if (read_head(d))
            return true;
    }
}

bool hd_dies_unit_at(struct hd_dies *d, uint64_t offset)
{
    d->end = d->info.data + offset;
    return hd_dies_unit(d);
}

/* Whether some shape has a reference out of its unit. */
static bool steps_cross(const struct hd_dies *d)
{
    bool cross = false;
    for (size_t i = 0; i < d->steps.len; i++) {
        unsigned form = ((const struct step *)hd_vec_at(&d->steps, i))->form;
        cross = cross || form == DW_FORM_ref_addr || form == DW_FORM_ref_sig8;
    }
    return cross;
}

bool hd_dies_unit_crosses(struct hd_dies *d)
{
    read_shapes(d, SIZE_MAX);
    return d->bad || steps_cross(d);
}

static bool may_cross(const struct hd_dies *d)
{
    struct hd_dies at = {.p = d->abbrev.data, .end = d->abbrev.end};
    at.shapes = HD_VEC_INIT(struct shape);
    at.steps = HD_VEC_INIT(struct step);
    while (at.p < at.end && !at.bad)
        read_shape(&at);
    bool cross = steps_cross(&at);
    hd_dies_close(&at);
    return cross;
}

void hd_dies_cross(struct hd_dies *d)
{
    d->cross = may_cross(d);
    while (d->cross && hd_dies_unit(d)) /* finds the types that are units */
        ;
    d->end = d->info.data;
}

bool hd_dies_open(struct hd_dies *d, Dwarf *dwarf, unsigned (*role)(unsigned tag))
{
    Elf *elf = dwarf ? dwarf_getelf(dwarf) : NULL;
    Elf_Scn *scn = NULL;
    size_t names;
    *d = (struct hd_dies){.shapes = HD_VEC_INIT(struct shape), .steps = HD_VEC_INIT(struct step)};
    if (!elf || elf_getshdrstrndx(elf, &names))
        return false;
    while ((scn = elf_nextscn(elf, scn)))
        section(elf, names, scn, d);
    if (!d->info.data || !d->abbrev.data || hd_dies_len(d) > UINT32_MAX)
        return false;
    d->role = role;
    d->end = d->info.data;
    return true;
}

void hd_dies_close(struct hd_dies *d)
{
    hd_vec_fini(&d->shapes);
    hd_vec_fini(&d->steps);
    hd_map_fini(&d->types);
}

uint64_t hd_dies_len(const struct hd_dies *d)
{
    return (uint64_t)(d->info.end - d->info.data);
}

uint64_t hd_dies_unit_len(const struct hd_dies *d)
{
    return (uint64_t)(d->end - d->info.data) - d->unit;
}

static void skip_long(struct hd_dies *d, unsigned form)
{
    struct value ignored;
    if (form == DW_FORM_exprloc || form == DW_FORM_block) /* most are: what a call is given */
        pass(d, leb(d));
    else if (form == DW_FORM_udata || form == DW_FORM_addrx || form == DW_FORM_loclistx)
        leb(d);
    else
        read_long(d, form, &ignored);
}

static void skip(struct hd_dies *d, const struct shape *shape)
{
    const struct step *steps = d->steps.data;
    for (const struct step *s = steps + shape->first, *end = s + shape->n; s < end && !d->bad;) {
        if (s->n)
            pass(d, s->skip);
        else
            skip_long(d, s->form);
        s += s->n ? s->n : 1;
    }
}

static void read_all(struct hd_dies *d, const struct shape *shape, struct hd_die *die)
{
    struct value v;
    for (uint32_t i = 0; i < shape->n && !d->bad; i++) {
        const struct step *s = hd_vec_at(&d->steps, shape->first + i);
        read_value(d, s, &v);
        take(d, s->attribute, &v, die);
    }
}

bool hd_dies_head(struct hd_dies *d, struct hd_die *die)
{
    const uint8_t *p = d->p;
    for (int pass = 0; pass < 2; pass++) { /* the first one finds where its texts are */
        d->p = p;
        read_shapes(d, 1);
        uint64_t code = leb(d);
        const struct shape *shape = d->bad ? NULL : shape_of(d, code);
        if (!shape) { /* it does not come first */
            d->p = p;
            read_shapes(d, SIZE_MAX);
            shape = d->bad ? NULL : shape_of(d, leb(d));
        }
        *die = (struct hd_die){.address = HD_DIE_NONE};
        if (shape)
            read_all(d, shape, die);
        d->bad = d->bad || !shape;
    }
    d->p = p;
    d->shapes.len = 0;
    return !d->bad;
}

const uint8_t *hd_dies_addresses(const struct hd_dies *d, size_t *n)
{
    enum { HEAD = 8 }; /* before the first address: bytes of the table from its version on, .. */
    uint64_t len = 0, size = (uint64_t)(d->addr.end - d->addr.data);
    if (d->version < 5 || d->offset_size != 4 || d->address_size != 8 || d->addr_base < HEAD ||
        d->addr_base > size)
        return NULL;
    const uint8_t *first = d->addr.data + d->addr_base;
    memcpy(&len, first - HEAD, 4);
    if (len < 4 || len - 4 > (uint64_t)(d->addr.end - first))
        return NULL;
    *n = (size_t)(len - 4) / 8;
    return first;
}

/* The shape of the next entry that has a role, which begins at *offset; NULL: there is none. */
static const struct shape *next_shape(struct hd_dies *d, uint64_t *offset)
{
    const struct shape *shape;
    while (d->p < d->end && !d->bad) {
        *offset = (uint64_t)(d->p - d->info.data);
        uint64_t code = leb(d);
        if (!code && d->depth <= 1)
            return NULL;
        if (!code) {
            d->depth--;
            continue;
        }
        if (!(shape = shape_of(d, code)))
            return NULL;
        if (d->inside > d->depth)
            d->inside = d->depth;
        if (d->least > d->depth)
            d->least = d->depth;
        if (shape->role || !d->depth)
            return shape;
        skip(d, shape);
        d->depth += shape->children;
    }
    return NULL;
}

bool hd_dies_next(struct hd_dies *d, struct hd_die *die)
{
    uint64_t offset;
    bool read = false;
    if (!d->depth && !d->shapes.len)
        read_shapes(d, SIZE_MAX);
    while (!read) {
        const struct shape *shape = next_shape(d, &offset);
        if (!shape)
            return false;
        read = shape->role & HD_DIE_READ;
        if (read || !d->depth) { /* the unit says where its texts and addresses are */
            *die = (struct hd_die){.offset = offset,
                                   .tag = shape->tag,
                                   .depth = d->depth,
                                   .least = d->least,
                                   .inside = d->inside == d->depth,
                                   .size = HD_DIE_NONE,
                                   .at = HD_DIE_NONE,
                                   .count = HD_DIE_NONE,
                                   .upper = HD_DIE_NONE,
                                   .address = HD_DIE_NONE};
            read_all(d, shape, die);
        } else {
            skip(d, shape);
        }
        d->inside += d->inside == d->depth && (!d->depth || shape->role & HD_DIE_SCOPE);
        d->depth += shape->children;
    }
    d->least = UINT_MAX;
    return !d->bad;
}
