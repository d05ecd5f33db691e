/* Models of snprintf and sprintf, compiled like sym_models.c: what they wrote gets the expressions
 * of the numbers and texts that it was made from. Conversions d, i, u, x, c and s, with a width, 0
 * and - as flags, and the sizes of integers. */
#include "rt/concolic/sym_chars.h"
#include "rt/concolic/sym_models.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

typedef unsigned char byte;

struct print {
    byte *out;
    uint64_t at, room; /* bytes so far; that were stored at most */
    const byte *format;
    const uint64_t *args;
    unsigned width;
    bool zero, left;
    int size; /* of an integer */
    bool good;
};

/* The same number without its expression. */
static uint64_t concrete(uint64_t v)
{
    __asm__ volatile("" : "+r"(v));
    return v;
}

/* Stores what is there already, with its expression. */
static void put(struct print *p, byte c)
{
    byte was = (byte)concrete(c);
    volatile byte *to = p->out + p->at;
    if (p->at++ >= p->room)
        return;
    if (*to == was)
        *to = c;
    else
        p->good = false;
}

static void pad(struct print *p, uint64_t used, byte c)
{
    for (; used < p->width; used++)
        put(p, c);
}

/* How many digits there are is a choice of the path; which ones they are is not. */
static void put_number(struct print *p, uint64_t v, unsigned base, bool minus, byte ten)
{
    uint64_t digits = 1, unit = 1;
    for (; digits < 20 && v / unit >= base; digits++)
        unit *= base;
    uint64_t used = digits + minus;
    if (!p->zero && !p->left)
        pad(p, used, ' ');
    if (minus)
        put(p, '-');
    if (p->zero && !p->left)
        pad(p, used, '0');
    for (; unit > 0; unit /= base) {
        unsigned d = (unsigned)(v / unit % base);
        put(p, (byte)(d < 10 ? d + '0' : d - 10 + ten));
    }
    if (p->left)
        pad(p, used, ' ');
}

static void put_signed(struct print *p, uint64_t arg)
{
    int64_t v = p->size == 8   ? (int64_t)arg
                : p->size == 4 ? (int32_t)arg
                : p->size == 2 ? (int16_t)arg
                               : (int8_t)arg;
    bool minus = v < 0;
    if (p->size <= 4) { /* in half the bits: easier for the solver */
        uint32_t half = minus ? 0u - (uint32_t)v : (uint32_t)v;
        put_number(p, half, 10, minus, 'a');
    } else {
        put_number(p, minus ? 0 - (uint64_t)v : (uint64_t)v, 10, minus, 'a');
    }
}

static void put_unsigned(struct print *p, uint64_t arg, unsigned base, byte ten)
{
    uint64_t v = p->size == 8   ? arg
                 : p->size == 4 ? (uint32_t)arg
                 : p->size == 2 ? (uint16_t)arg
                                : (uint8_t)arg;
    put_number(p, v, base, false, ten);
}

static void put_text(struct print *p, const byte *s)
{
    uint64_t n = 0;
    if (p->width && !p->left) {
        while (s[n])
            n++;
        pad(p, n, ' ');
    }
    for (n = 0; s[n]; n++)
        put(p, s[n]);
    if (p->left)
        pad(p, n, ' ');
}

static void read_flags(struct print *p)
{
    p->zero = p->left = false;
    p->width = 0;
    p->size = 4;
    for (; *p->format == '0' || *p->format == '-'; p->format++)
        *(*p->format == '0' ? &p->zero : &p->left) = true;
    for (; hd_rt_is_digit(*p->format); p->format++)
        p->width = p->width * 10 + (unsigned)(*p->format - '0');
    for (;; p->format++) {
        if (*p->format == 'l' || *p->format == 'z' || *p->format == 'j')
            p->size = 8;
        else if (*p->format == 'h')
            p->size = p->size == 2 ? 1 : 2;
        else
            return;
    }
}

static bool convert(struct print *p)
{
    read_flags(p);
    switch (*p->format++) {
    case 'd':
    case 'i':
        put_signed(p, *p->args++);
        return true;
    case 'u':
        put_unsigned(p, *p->args++, 10, 'a');
        return true;
    case 'x':
        put_unsigned(p, *p->args++, 16, 'a');
        return true;
    case 'X':
        put_unsigned(p, *p->args++, 16, 'A');
        return true;
    case 'c':
        put(p, (byte)*p->args++);
        return true;
    case 's':
        put_text(p, (const byte *)*p->args++);
        return true;
    case '%':
        put(p, '%');
        return true;
    default:
        return false;
    }
}

static uint64_t print(uint64_t result, uint64_t out, uint64_t room, uint64_t format,
                      const uint64_t *args, unsigned n_args)
{
    struct print p = {.out = (byte *)out, .format = (byte *)format, .args = args, .good = true};
    p.room = room ? room - 1 : 0;
    if ((int)result < 0)
        return result;
    bool known = true;
    while (*p.format && known) {
        if (*p.format == '%') {
            p.format++;
            known = p.args - args < n_args && convert(&p);
        } else {
            put(&p, *p.format++);
        }
    }
    if (!known || !p.good || p.at != (uint64_t)(int)result)
        __hd_model_lost("printf, with other conversions than d, i, u, x, c and s");
    else if (room)
        *(volatile byte *)(out + (p.at < p.room ? p.at : p.room)) = 0;
    return result;
}

EXPORT uint64_t __hd_model_sprintf(uint64_t result, uint64_t out, uint64_t format, uint64_t a,
                                   uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    uint64_t args[6] = {a, b, c, d, e, f};
    return print(result, out, UINT64_MAX, format, args, 6);
}

EXPORT uint64_t __hd_model_snprintf(uint64_t result, uint64_t out, uint64_t room, uint64_t format,
                                    uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    uint64_t args[5] = {a, b, c, d, e};
    return print(result, out, room, format, args, 5);
}
