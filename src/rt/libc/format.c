/* Runs in the user's process; see the rules in rt.h. */
#include "rt/libc/format.h"

#include "rt/core/range_log.h"
#include "rt/core/modules.h"

#include <string.h>
#include <wchar.h>

void hd_rt_reads(uintptr_t pc, const void *p, size_t n)
{
    if (n && !hd_rt_module_const(p))
        hd_rt_log_bytes(HD_LOG_RANGE_READ, 0, pc, p, p, n);
}

void hd_rt_reads_on(uintptr_t pc, const void *p, size_t n)
{
    if (n && !hd_rt_module_const(p))
        hd_rt_log_bytes(HD_LOG_RANGE_READ, HD_LOG_TEXT, pc, p, p, n);
}

/* One conversion of a format. */
struct spec {
    bool skip, star_width, star_precision, allocates, positions;
    int width, precision; /* -1: not given */
    char length;          /* 'H' is hh, 'q' is ll, 0 none */
    char kind;            /* d, s, ...; 0: the end of the format */
    const char *set;      /* of [...] */
};

static const char *number(const char *f, int *value)
{
    *value = 0;
    for (; *f >= '0' && *f <= '9'; f++)
        *value = *value < 100000000 ? *value * 10 + (*f - '0') : *value;
    return f;
}

static const char *length_of(const char *f, char *length)
{
    if (!*f || !strchr("hlqLjzt", *f))
        return f;
    *length = *f++;
    if (*length == 'h' && *f == 'h') {
        *length = 'H';
        f++;
    } else if (*length == 'l' && *f == 'l') {
        *length = 'q';
        f++;
    }
    return f;
}

static const char *set_end(const char *f)
{
    f += *f == '^';
    f += *f == ']';
    while (*f && *f != ']')
        f++;
    return f + (*f == ']');
}

/* Reads the next conversion at or after f; returns where the format goes on. */
static const char *next_spec(const char *f, bool scan, struct spec *s)
{
    *s = (struct spec){.width = -1, .precision = -1};
    while (*f && *f != '%')
        f++;
    if (!*f)
        return f;
    f++;
    while (*f && strchr(scan ? "*m'I" : "-+ #0'I", *f)) {
        s->skip |= *f == '*';
        s->allocates |= *f == 'm' && scan;
        f++;
    }
    if (*f == '*') {
        s->star_width = true;
        f++;
    } else if (*f >= '0' && *f <= '9') {
        f = number(f, &s->width);
        if (*f == '$')
            s->positions = true;
    }
    if (scan && *f == 'm') {
        s->allocates = true;
        f++;
    }
    if (*f == '.') {
        f++;
        s->star_precision = *f == '*';
        f = *f == '*' ? f + 1 : number(f, &s->precision);
    }
    f = length_of(f, &s->length);
    s->kind = *f;
    f += *f != 0;
    if (scan && s->kind == '[')
        f = set_end(f);
    return f;
}

static size_t int_size(char length)
{
    switch (length) {
    case 'H':
        return sizeof(char);
    case 'h':
        return sizeof(short);
    case 'l':
    case 'q':
    case 'L':
    case 'j':
    case 'z':
    case 't':
        return sizeof(long);
    default:
        return sizeof(int);
    }
}

static void name_positions(uintptr_t pc)
{
    static bool told;
    if (!told)
        hd_rt_log_text(HD_LOG_NOTE, pc, HD_NOTE_UNMODELLED,
                       "positions in a format; what the call reads and writes is not seen");
    told = true;
}

static void read_string(const struct spec *s, const char *p, uintptr_t pc)
{
    if (!p || s->length == 'l')
        return; /* wide strings are left out */
    size_t n = 0, max = s->precision < 0 ? SIZE_MAX : (size_t)s->precision;
    while (n < max && p[n])
        n++;
    hd_rt_reads_on(pc, p, n < max ? n + 1 : n);
}

unsigned hd_rt_format_reads(const char *format, va_list args, uintptr_t pc,
                            struct hd_format_out outs[HD_FORMAT_OUTS])
{
    struct spec s;
    unsigned n = 0;
    va_list a;
    va_copy(a, args);
    for (const char *f = next_spec(format, false, &s); s.kind; f = next_spec(f, false, &s)) {
        if (s.positions) {
            name_positions(pc);
            break;
        }
        if (s.star_width)
            (void)va_arg(a, int);
        if (s.star_precision)
            s.precision = va_arg(a, int);
        if (strchr("diouxXcC", s.kind)) {
            if (int_size(s.length) == sizeof(long) && s.kind != 'c' && s.kind != 'C')
                (void)va_arg(a, long);
            else
                (void)va_arg(a, int);
        } else if (strchr("eEfFgGaA", s.kind)) {
            if (s.length == 'L')
                (void)va_arg(a, long double);
            else
                (void)va_arg(a, double);
        } else if (s.kind == 's') {
            read_string(&s, va_arg(a, const char *), pc);
        } else if (s.kind == 'n') {
            const void *p = va_arg(a, const void *);
            if (n < HD_FORMAT_OUTS)
                outs[n++] = (struct hd_format_out){p, int_size(s.length)};
        } else if (s.kind == 'p' || s.kind == 'S') {
            (void)va_arg(a, const void *);
        }
    }
    va_end(a);
    return n;
}

/* Bytes that one conversion of scanf left at p. */
static size_t scanned(const struct spec *s, const void *p)
{
    switch (s->kind) {
    case 's':
    case '[':
        return s->length == 'l' ? (wcslen(p) + 1) * sizeof(wchar_t) : strlen(p) + 1;
    case 'c':
        return (size_t)(s->width < 0 ? 1 : s->width) * (s->length == 'l' ? sizeof(wchar_t) : 1);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        return s->length == 'L' ? sizeof(long double)
                                : (s->length == 'l' ? sizeof(double) : sizeof(float));
    case 'p':
        return sizeof(void *);
    default:
        return int_size(s->length);
    }
}

void hd_rt_format_wrote(const char *format, va_list args, int done, uintptr_t pc)
{
    struct spec s;
    va_list a;
    va_copy(a, args);
    for (const char *f = next_spec(format, true, &s); s.kind; f = next_spec(f, true, &s)) {
        if (s.positions) {
            name_positions(pc);
            break;
        }
        if (s.skip || s.kind == '%')
            continue;
        if (done <= 0 && s.kind != 'n')
            break;
        void *p = va_arg(a, void *);
        if (s.allocates) { /* p is where the pointer to the new block went */
            void *block = *(void **)p;
            hd_rt_log2(HD_LOG_ALLOC, 0, pc, (uintptr_t)block, hd_rt_block_size(block));
            hd_rt_wrote(pc, p, sizeof block);
            p = block;
        }
        hd_rt_wrote(pc, p, scanned(&s, p));
        done -= s.kind != 'n';
    }
    va_end(a);
}
