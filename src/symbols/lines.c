#include "symbols/lines.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    const char *name;
    uint64_t dir;
};

struct reader {
    const struct hd_dies *d;
    const uint8_t *p, *end;
    struct hd_lines *to;
    uint64_t bias;
    unsigned version, offset_size;
    unsigned step; /* bytes of the shortest instruction */
    int line_base;
    unsigned line_range, opcode_base;
    const uint8_t *operands; /* how many each standard operation has, from 1 on */
    bool bad;
};

/* ---- bytes ---- */

static uint64_t fixed(struct reader *r, unsigned n)
{
    uint64_t v = 0;
    if ((size_t)(r->end - r->p) < n) {
        r->bad = true;
        r->p = r->end;
        return 0;
    }
    memcpy(&v, r->p, n); /* little-endian, as the machine */
    r->p += n;
    return v;
}

static void pass(struct reader *r, uint64_t n)
{
    r->bad = r->bad || (uint64_t)(r->end - r->p) < n;
    r->p = r->bad ? r->end : r->p + n;
}

static uint64_t leb(struct reader *r, bool sign)
{
    uint64_t v = 0;
    for (unsigned shift = 0; r->p < r->end; shift += 7) {
        uint8_t byte = *r->p++;
        if (shift < 64)
            v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return sign && (byte & 0x40) && shift + 7 < 64 ? v | UINT64_MAX << (shift + 7) : v;
    }
    r->bad = true;
    return 0;
}

static const char *text(struct reader *r)
{
    const char *t = (const char *)r->p;
    const uint8_t *zero = memchr(r->p, 0, (size_t)(r->end - r->p));
    pass(r, zero ? (uint64_t)(zero - r->p) + 1 : UINT64_MAX);
    return zero ? t : "";
}

static const char *text_in(struct reader *r, const struct hd_dies_section *s, uint64_t offset)
{
    uint64_t len = (uint64_t)(s->end - s->data), left = offset < len ? len - offset : 0;
    bool good = left && memchr(s->data + offset, 0, left);
    r->bad = r->bad || !good;
    return good ? (const char *)s->data + offset : "";
}

/* ---- dirs and files ---- */

static void add_dir(struct reader *r, const char *name)
{
    *(const char **)hd_vec_push(&r->to->dirs) = name;
}

static void add_file(struct reader *r, const char *name, uint64_t dir)
{
    *(struct file *)hd_vec_push(&r->to->files) = (struct file){name, dir};
}

/* Before version 5: both are counted from 1, and 0 is the file of the unit and where the compiler
 * ran. */
static void read_old_names(struct reader *r)
{
    add_dir(r, r->to->comp_dir);
    add_file(r, NULL, 0);
    for (const char *name; !r->bad && *(name = text(r));)
        add_dir(r, name);
    for (const char *name; !r->bad && *(name = text(r));) {
        uint64_t dir = leb(r, false);
        leb(r, false); /* when it was changed */
        leb(r, false); /* its size */
        add_file(r, name, dir);
    }
}

/* The text or number of one field of an entry. */
static const char *read_field(struct reader *r, uint64_t form, uint64_t *number)
{
    switch (form) {
    case DW_FORM_string:
        return text(r);
    case DW_FORM_line_strp:
        return text_in(r, &r->d->line_str, fixed(r, r->offset_size));
    case DW_FORM_strp:
        return text_in(r, &r->d->str, fixed(r, r->offset_size));
    case DW_FORM_udata:
        *number = leb(r, false);
        break;
    case DW_FORM_data1:
        *number = fixed(r, 1);
        break;
    case DW_FORM_data2:
        *number = fixed(r, 2);
        break;
    case DW_FORM_data4:
        *number = fixed(r, 4);
        break;
    case DW_FORM_data8:
        *number = fixed(r, 8);
        break;
    case DW_FORM_data16:
        pass(r, 16);
        break;
    case DW_FORM_block:
        pass(r, leb(r, false));
        break;
    default: /* of no known length */
        r->bad = true;
    }
    return "";
}

/* One table of version 5: its entries say themselves what they consist of. */
static void read_names(struct reader *r, bool dirs)
{
    uint64_t form[16][2];
    size_t n = fixed(r, 1);
    r->bad = r->bad || n > sizeof form / sizeof *form;
    for (size_t i = 0; i < n && !r->bad; i++) {
        form[i][0] = leb(r, false);
        form[i][1] = leb(r, false);
    }
    uint64_t count = leb(r, false);
    r->bad = r->bad || (count && !n); /* entries of no bytes: as many as the number says */
    for (; count > 0 && !r->bad; count--) {
        const char *name = "";
        uint64_t dir = 0;
        for (size_t i = 0; i < n; i++) {
            uint64_t number = 0;
            const char *t = read_field(r, form[i][1], &number);
            if (form[i][0] == DW_LNCT_path)
                name = t;
            else if (form[i][0] == DW_LNCT_directory_index)
                dir = number;
        }
        if (dirs)
            add_dir(r, name);
        else
            add_file(r, name, dir);
    }
}

/* ---- rows ---- */

struct state {
    uint64_t addr, file, line, column;
};
static const struct state start = {0, 1, 1, 0};

static void add_row(struct reader *r, const struct state *s, bool end)
{
    bool known = s->file < HD_LINE_END && s->line <= UINT32_MAX;
    *(struct hd_line *)hd_vec_push(&r->to->rows) =
        (struct hd_line){.addr = s->addr + r->bias,
                         .line = known ? (uint32_t)s->line : 0,
                         .file = end     ? HD_LINE_END
                                 : known ? (uint16_t)s->file
                                         : 0,
                         .column = s->column <= UINT16_MAX ? (uint16_t)s->column : 0};
}

static void end_sequence(struct reader *r, struct state *s, size_t *first)
{
    struct hd_vec *rows = &r->to->rows;
    add_row(r, s, true);
    *(struct hd_line_sequence *)hd_vec_push(&r->to->sequences) =
        (struct hd_line_sequence){((const struct hd_line *)hd_vec_at(rows, *first))->addr,
                                  s->addr + r->bias, *first, rows->len - *first};
    *first = rows->len;
    *s = start;
}

static void extended(struct reader *r, struct state *s, size_t *first)
{
    uint64_t len = leb(r, false);
    if (!len || len > (uint64_t)(r->end - r->p)) {
        r->bad = true;
        return;
    }
    const uint8_t *next = r->p + len;
    switch (*r->p++) {
    case DW_LNE_end_sequence:
        end_sequence(r, s, first);
        break;
    case DW_LNE_set_address:
        s->addr = fixed(r, len - 1 <= 8 ? (unsigned)len - 1 : 8);
        break;
    default: /* files are not defined here by compilers; discriminators do not matter */
        break;
    }
    r->p = next;
}

static void standard(struct reader *r, unsigned op, struct state *s)
{
    switch (op) {
    case DW_LNS_copy:
        add_row(r, s, false);
        break;
    case DW_LNS_advance_pc:
        s->addr += leb(r, false) * r->step;
        break;
    case DW_LNS_advance_line:
        s->line += leb(r, true);
        break;
    case DW_LNS_set_file:
        s->file = leb(r, false);
        break;
    case DW_LNS_set_column:
        s->column = leb(r, false);
        break;
    case DW_LNS_const_add_pc:
        s->addr += (uint64_t)(255 - r->opcode_base) / r->line_range * r->step;
        break;
    case DW_LNS_fixed_advance_pc:
        s->addr += fixed(r, 2);
        break;
    default:
        for (unsigned i = r->operands[op - 1]; i > 0; i--)
            leb(r, false);
    }
}

static void run(struct reader *r)
{
    struct state s = start;
    size_t first = 0;
    while (r->p < r->end && !r->bad) {
        unsigned op = *r->p++;
        if (op >= r->opcode_base) {
            unsigned both = op - r->opcode_base;
            s.addr += (uint64_t)(both / r->line_range) * r->step;
            s.line += (uint64_t)(int64_t)(r->line_base + (int)(both % r->line_range));
            add_row(r, &s, false);
        } else if (op) {
            standard(r, op, &s);
        } else {
            extended(r, &s, &first);
        }
    }
    r->to->rows.len = first; /* without an end, it is not known what they cover */
}

/* ---- all of it ---- */

static void read_sizes(struct reader *r)
{
    uint64_t len = fixed(r, 4);
    r->offset_size = len == UINT32_MAX ? 8 : 4;
    if (len == UINT32_MAX)
        len = fixed(r, 8);
    r->bad = r->bad || len > (uint64_t)(r->end - r->p);
    if (r->bad)
        return;
    r->end = r->p + len;
    r->version = (unsigned)fixed(r, 2);
    r->bad = r->bad || r->version < 2 || r->version > 5;
    if (r->version >= 5)
        pass(r, 2); /* sizes of an address and a segment */
}

/* False: there is nothing to run. */
static bool read_head(struct reader *r)
{
    read_sizes(r);
    uint64_t len = fixed(r, r->offset_size);
    if (r->bad || len > (uint64_t)(r->end - r->p))
        return false;
    const uint8_t *program = r->p + len;
    r->step = (unsigned)fixed(r, 1);
    if (r->version >= 4)
        pass(r, 1); /* operations of an instruction: one */
    pass(r, 1);     /* is_stmt */
    r->line_base = (int8_t)fixed(r, 1);
    r->line_range = (unsigned)fixed(r, 1);
    r->opcode_base = (unsigned)fixed(r, 1);
    r->operands = r->p;
    if (!r->line_range || !r->opcode_base)
        return false;
    pass(r, r->opcode_base - 1);
    if (r->version >= 5) {
        read_names(r, true);
        read_names(r, false);
    } else {
        read_old_names(r);
    }
    r->p = program;
    return !r->bad;
}

static int by_start(const void *a, const void *b)
{
    const struct hd_line_sequence *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

void hd_lines_read(struct hd_lines *l, const struct hd_dies *d, uint64_t offset,
                   const char *comp_dir, uint64_t bias)
{
    *l = (struct hd_lines){.rows = HD_VEC_INIT(struct hd_line),
                           .sequences = HD_VEC_INIT(struct hd_line_sequence),
                           .dirs = HD_VEC_INIT(const char *),
                           .files = HD_VEC_INIT(struct file),
                           .comp_dir = comp_dir};
    if (!d->line.data || offset >= (uint64_t)(d->line.end - d->line.data))
        return;
    struct reader r = {
        .d = d, .p = d->line.data + offset, .end = d->line.end, .to = l, .bias = bias};
    if (read_head(&r))
        run(&r);
    if (l->sequences.len)
        qsort(l->sequences.data, l->sequences.len, l->sequences.size, by_start);
}

void hd_lines_fini(struct hd_lines *l)
{
    hd_vec_fini(&l->rows);
    hd_vec_fini(&l->sequences);
    hd_vec_fini(&l->dirs);
    hd_vec_fini(&l->files);
}

/* The last one that begins at pc or before it. */
static const struct hd_line_sequence *sequence_of(const struct hd_lines *l, uint64_t pc)
{
    size_t low = 0, high = l->sequences.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (((const struct hd_line_sequence *)hd_vec_at(&l->sequences, mid))->from <= pc)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? hd_vec_at(&l->sequences, low - 1) : NULL;
}

const struct hd_line *hd_lines_find(const struct hd_lines *l, uint64_t pc)
{
    const struct hd_line_sequence *s = sequence_of(l, pc);
    if (!s)
        return NULL;
    const struct hd_line *rows = hd_vec_at(&l->rows, s->first);
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (rows[mid].addr <= pc)
            low = mid + 1;
        else
            high = mid;
    }
    const struct hd_line *at = low ? &rows[low - 1] : NULL;
    return at && at->line && at->file != HD_LINE_END ? at : NULL;
}

bool hd_lines_file(const struct hd_lines *l, const struct hd_line *at, char *out, size_t size)
{
    const struct file *f = at->file < l->files.len ? hd_vec_at(&l->files, at->file) : NULL;
    if (!f || !f->name || !*f->name)
        return false;
    const char *const *dirs = l->dirs.data;
    const char *dir = *f->name != '/' && f->dir < l->dirs.len ? dirs[f->dir] : NULL;
    snprintf(out, size, "%s%s%s", dir ? dir : "", dir ? "/" : "", f->name);
    return true;
}
