/* Models of what streams of C++ do with text, compiled like sym_models.c; sym_istream.c calls them
 * with the bytes that a call found. */
#include "rt/concolic/sym_chars.h"
#include "rt/concolic/sym_models.h"

typedef unsigned char byte;

uint64_t __hd_model_stream_span(uint64_t s, uint64_t max, bool space)
{
    uint64_t n = 0;
    while (n < max && __hd_model_more(s + n) && hd_rt_is_space(((const byte *)s)[n]) == space)
        n++;
    return n;
}

/* The same number without its expression. */
static uint64_t concrete(uint64_t v)
{
    __asm__ volatile("" : "+r"(v));
    return v;
}

static void put(uint64_t at, unsigned size, uint64_t v)
{
    uint64_t was = concrete(v);
    if (size == 2 && *(volatile uint16_t *)at == (uint16_t)was)
        *(volatile uint16_t *)at = (uint16_t)v;
    else if (size == 4 && *(volatile uint32_t *)at == (uint32_t)was)
        *(volatile uint32_t *)at = (uint32_t)v;
    else if (size == 8 && *(volatile uint64_t *)at == was)
        *(volatile uint64_t *)at = v;
    else
        __hd_model_lost("a number, read from a stream");
}

struct digits {
    const byte *at; /* the next byte */
    unsigned base, bytes;
    bool minus, is_signed, found;
};

static bool more(const struct digits *d)
{
    return __hd_model_more((uint64_t)d->at);
}

/* What may stand before the digits. With base 0 it says which base it is. */
static void head(struct digits *d)
{
    if (more(d) && hd_rt_is_sign(*d->at))
        d->minus = *d->at++ == '-';
    if ((d->base == 0 || d->base == 16) && more(d) && *d->at == '0') {
        d->at++;
        d->found = true;
        if (more(d) && hd_rt_low(*d->at) == 'x') {
            d->at++;
            d->found = false;
            d->base = 16;
        } else if (d->base == 0) {
            d->base = 8;
        }
    }
    if (d->base == 0)
        d->base = 10;
}

/* So many digits are not too large, whichever they are. */
static unsigned safe_digits(const struct digits *d)
{
    unsigned bits = d->bytes * 8 - 1;
    return d->base == 10 ? (d->bytes == 2   ? 4
                            : d->bytes == 4 ? 9
                                            : 18)
                         : bits / (d->base == 16 ? 4 : 3);
}

static uint64_t limit(const struct digits *d)
{
    uint64_t all = UINT64_MAX >> (64 - d->bytes * 8);
    return d->is_signed ? all / 2 + d->minus : all;
}

/* In arithmetic as wide as the result: short numbers are easier for the solver. A number that is
 * too large is a choice of the path, and what is stored then has no expression. */
#define READ(name, type)                                                                           \
    static void name(struct digits *d, uint64_t out)                                               \
    {                                                                                              \
        type v = 0, max = (type)limit(d), base = (type)d->base;                                    \
        unsigned n = 0, safe = safe_digits(d);                                                     \
        bool over = false;                                                                         \
        for (; more(d); d->at++) {                                                                 \
            int digit = hd_rt_digit_of(*d->at);                                                    \
            if (digit >= (int)base)                                                                \
                break;                                                                             \
            if (++n > safe && !over && v > (type)((max - (type)digit) / base))                     \
                over = true;                                                                       \
            if (!over)                                                                             \
                v = (type)(v * base + (type)digit);                                                \
        }                                                                                          \
        d->found |= n > 0;                                                                         \
        if (d->found && !over)                                                                     \
            put(out, d->bytes, (type)((v ^ ((type)0 - d->minus)) + d->minus));                     \
    }

READ(read32, uint32_t)
READ(read64, uint64_t)

uint64_t __hd_model_stream_number(uint64_t s, uint64_t out, uint64_t how)
{
    struct digits d = {.at = (const byte *)s};
    d.bytes = (uint8_t)how;
    d.is_signed = (uint8_t)(how >> 8) != 0;
    d.base = (uint8_t)(how >> 16);
    if (how >> 24)
        d.at += __hd_model_stream_span(s, UINT64_MAX, true);
    if (more(&d)) {
        head(&d);
        if (d.bytes <= 4)
            read32(&d, out);
        else
            read64(&d, out);
    }
    return concrete((uint64_t)d.at) - s;
}
