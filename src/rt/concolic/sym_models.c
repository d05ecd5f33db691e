/* Models of library functions: the plain C of each, compiled with the concolic pass alone
 * (HEDDLE_PASS_CONCOLIC=models), so that ids and path conditions come out of the code itself.
 *
 * A program calls the real function first; the model then does the same work again on the same
 * memory and answers the same result, with its expression. Stores write what is there already. The
 * pass drops the expression when the results differ. No function of the C library is called here,
 * and there are no tables: characters are taken as ASCII, as in the C locale. */
#include "rt/concolic/sym_models.h"

#include "rt/concolic/sym_chars.h"

#include <stdbool.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

typedef unsigned char byte;

/* ---- comparing ---- */

static int compare(const byte *a, const byte *b, uint64_t n, bool text, bool fold)
{
    for (uint64_t i = 0; i < n; i++) {
        int x = a[i], y = b[i];
        if (fold) {
            x = hd_rt_low(x);
            y = hd_rt_low(y);
        }
        if (x != y)
            return x - y;
        if (text && !x)
            return 0;
    }
    return 0;
}

/* The same number without its expression: asking about it says nothing about the input. */
static uint64_t concrete(uint64_t v)
{
    __asm__ volatile("" : "+r"(v));
    return v;
}

/* Only the sign is promised: where the real function answers another number, the sign is a choice
 * of the path and the number is what it was. */
static uint64_t answer(uint64_t result, int d)
{
    if ((int)concrete((uint64_t)d) == (int)result)
        return (uint64_t)d;
    if (d == 0)
        return 0;
    return d < 0 ? (uint64_t)((int)result < 0 ? (int)result : -1)
                 : (uint64_t)((int)result > 0 ? (int)result : 1);
}

EXPORT uint64_t __hd_model_strcmp(uint64_t result, uint64_t a, uint64_t b)
{
    return answer(result, compare((byte *)a, (byte *)b, UINT64_MAX, true, false));
}

EXPORT uint64_t __hd_model_strncmp(uint64_t result, uint64_t a, uint64_t b, uint64_t n)
{
    return answer(result, compare((byte *)a, (byte *)b, n, true, false));
}

EXPORT uint64_t __hd_model_strcasecmp(uint64_t result, uint64_t a, uint64_t b)
{
    return answer(result, compare((byte *)a, (byte *)b, UINT64_MAX, true, true));
}

EXPORT uint64_t __hd_model_strncasecmp(uint64_t result, uint64_t a, uint64_t b, uint64_t n)
{
    return answer(result, compare((byte *)a, (byte *)b, n, true, true));
}

EXPORT uint64_t __hd_model_memcmp(uint64_t result, uint64_t a, uint64_t b, uint64_t n)
{
    return answer(result, compare((byte *)a, (byte *)b, n, false, false));
}

EXPORT uint64_t __hd_model_bcmp(uint64_t result, uint64_t a, uint64_t b, uint64_t n)
{
    return compare((byte *)a, (byte *)b, n, false, false) ? (result ? result : 1) : 0;
}

/* ---- length and copies ---- */

static uint64_t length(const byte *s, uint64_t max)
{
    uint64_t n = 0;
    while (n < max && s[n])
        n++;
    return n;
}

EXPORT uint64_t __hd_model_strlen(uint64_t result, uint64_t s)
{
    (void)result;
    return length((byte *)s, UINT64_MAX);
}

EXPORT uint64_t __hd_model_strnlen(uint64_t result, uint64_t s, uint64_t max)
{
    (void)result;
    return length((byte *)s, max);
}

/* Bytes up to and with the zero, at most max. Answers the number before the zero. */
static uint64_t copy(volatile byte *to, const byte *from, uint64_t max)
{
    uint64_t i = 0;
    for (; i < max; i++) {
        byte c = from[i];
        to[i] = c;
        if (!c)
            break;
    }
    return i;
}

EXPORT uint64_t __hd_model_strcpy(uint64_t result, uint64_t to, uint64_t from)
{
    copy((byte *)to, (byte *)from, UINT64_MAX);
    return result;
}

EXPORT uint64_t __hd_model_stpcpy(uint64_t result, uint64_t to, uint64_t from)
{
    copy((byte *)to, (byte *)from, UINT64_MAX);
    return result;
}

EXPORT uint64_t __hd_model_strncpy(uint64_t result, uint64_t to, uint64_t from, uint64_t n)
{
    uint64_t i = copy((byte *)to, (byte *)from, n);
    for (; i < n; i++)
        ((volatile byte *)to)[i] = 0;
    return result;
}

/* The real function has appended already: the old end is where the new part starts, which the
 * length of what was appended tells. */
static void appended(byte *to, const byte *from, uint64_t max)
{
    uint64_t n = 0, whole = 0;
    while (n < max && from[n])
        n++;
    while (to[whole])
        whole++;
    for (uint64_t i = 0; i < n && n <= whole; i++)
        ((volatile byte *)to)[whole - n + i] = from[i];
}

EXPORT uint64_t __hd_model_strcat(uint64_t result, uint64_t to, uint64_t from)
{
    appended((byte *)to, (byte *)from, UINT64_MAX);
    return result;
}

EXPORT uint64_t __hd_model_strncat(uint64_t result, uint64_t to, uint64_t from, uint64_t n)
{
    appended((byte *)to, (byte *)from, n);
    return result;
}

EXPORT uint64_t __hd_model_strdup(uint64_t result, uint64_t from)
{
    if (result)
        copy((byte *)result, (byte *)from, UINT64_MAX);
    return result;
}

EXPORT uint64_t __hd_model_strndup(uint64_t result, uint64_t from, uint64_t n)
{
    if (result)
        copy((byte *)result, (byte *)from, n);
    return result;
}

EXPORT uint64_t __hd_model_mempcpy(uint64_t result, uint64_t to, uint64_t from, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        ((volatile byte *)to)[i] = ((byte *)from)[i];
    return result;
}

/* ---- searching ---- */

EXPORT uint64_t __hd_model_strchr(uint64_t result, uint64_t text, uint64_t c)
{
    const byte *s = (byte *)text;
    (void)result;
    for (;; s++) {
        if (*s == (byte)c)
            return (uint64_t)s;
        if (!*s)
            return 0;
    }
}

EXPORT uint64_t __hd_model_strrchr(uint64_t result, uint64_t text, uint64_t c)
{
    const byte *s = (byte *)text, *last = NULL;
    (void)result;
    for (;; s++) {
        if (*s == (byte)c)
            last = s;
        if (!*s)
            return (uint64_t)last;
    }
}

EXPORT uint64_t __hd_model_memchr(uint64_t result, uint64_t p, uint64_t c, uint64_t n)
{
    const byte *s = (byte *)p;
    (void)result;
    for (uint64_t i = 0; i < n; i++)
        if (s[i] == (byte)c)
            return (uint64_t)(s + i);
    return 0;
}

EXPORT uint64_t __hd_model_strstr(uint64_t result, uint64_t text, uint64_t what)
{
    const byte *w = (byte *)what;
    (void)result;
    for (const byte *s = (byte *)text;; s++) {
        uint64_t i = 0;
        while (w[i] && s[i] == w[i])
            i++;
        if (!w[i])
            return (uint64_t)s;
        if (!*s)
            return 0;
    }
}

static uint64_t find(const byte *s, uint64_t n, const byte *what, uint64_t len, bool fold)
{
    for (uint64_t at = 0; at + len <= n; at++) {
        uint64_t i = 0;
        while (i < len &&
               (fold ? hd_rt_low(s[at + i]) == hd_rt_low(what[i]) : s[at + i] == what[i]))
            i++;
        if (i == len)
            return (uint64_t)(s + at);
    }
    return 0;
}

EXPORT uint64_t __hd_model_memmem(uint64_t result, uint64_t p, uint64_t n, uint64_t what,
                                  uint64_t len)
{
    (void)result;
    return find((byte *)p, n, (byte *)what, len, false);
}

EXPORT uint64_t __hd_model_strcasestr(uint64_t result, uint64_t text, uint64_t what)
{
    (void)result;
    return find((byte *)text, length((byte *)text, UINT64_MAX), (byte *)what,
                length((byte *)what, UINT64_MAX), true);
}

EXPORT uint64_t __hd_model_strchrnul(uint64_t result, uint64_t text, uint64_t c)
{
    const byte *s = (byte *)text;
    (void)result;
    while (*s && *s != (byte)c)
        s++;
    return (uint64_t)s;
}

EXPORT uint64_t __hd_model_memrchr(uint64_t result, uint64_t p, uint64_t c, uint64_t n)
{
    (void)result;
    while (n > 0)
        if (((byte *)p)[--n] == (byte)c)
            return p + n;
    return 0;
}

static bool among(byte c, const byte *set)
{
    for (; *set; set++)
        if (*set == c)
            return true;
    return false;
}

static uint64_t span(const byte *s, const byte *set, bool inside)
{
    uint64_t n = 0;
    while (s[n] && among(s[n], set) == inside)
        n++;
    return n;
}

EXPORT uint64_t __hd_model_strspn(uint64_t result, uint64_t s, uint64_t set)
{
    (void)result;
    return span((byte *)s, (byte *)set, true);
}

EXPORT uint64_t __hd_model_strcspn(uint64_t result, uint64_t s, uint64_t set)
{
    (void)result;
    return span((byte *)s, (byte *)set, false);
}

EXPORT uint64_t __hd_model_strpbrk(uint64_t result, uint64_t s, uint64_t set)
{
    (void)result;
    uint64_t n = span((byte *)s, (byte *)set, false);
    return ((byte *)s)[n] ? s + n : 0;
}

/* ---- characters ---- */

/* The real functions answer a bit of a table: so does this, where the class holds. */
#define CLASS(name, test)                                                                          \
    EXPORT uint64_t __hd_model_##name(uint64_t result, uint64_t arg)                               \
    {                                                                                              \
        int c = (int)arg;                                                                          \
        return (test) ? result : 0;                                                                \
    }

CLASS(isalpha, hd_rt_is_alpha(c))
CLASS(isdigit, hd_rt_is_digit(c))
CLASS(isalnum, hd_rt_is_alpha(c) | hd_rt_is_digit(c))
CLASS(isspace, hd_rt_is_space(c))
CLASS(isupper, (unsigned)c - 'A' < 26)
CLASS(islower, (unsigned)c - 'a' < 26)
CLASS(isxdigit, hd_rt_digit_of(c) < 16)
CLASS(isprint, (unsigned)c - ' ' < 95)
CLASS(ispunct, ((unsigned)c - '!' < 94) & !hd_rt_is_alpha(c) & !hd_rt_is_digit(c))

EXPORT uint64_t __hd_model_tolower(uint64_t result, uint64_t c)
{
    (void)result;
    return (uint64_t)hd_rt_low((int)c);
}

EXPORT uint64_t __hd_model_toupper(uint64_t result, uint64_t arg)
{
    int c = (int)arg;
    (void)result;
    return (uint64_t)(int)((unsigned)c - ((unsigned)c - 'a' < 26) * 32u);
}

EXPORT uint64_t __hd_model_abs(uint64_t result, uint64_t v)
{
    (void)result;
    return (uint64_t)((int)v < 0 ? -(int)v : (int)v);
}

EXPORT uint64_t __hd_model_labs(uint64_t result, uint64_t v)
{
    (void)result;
    return (int64_t)v < 0 ? -v : v;
}

/* div_t in one register: the quotient below, the remainder above. */
EXPORT uint64_t __hd_model_div(uint64_t result, uint64_t a, uint64_t b)
{
    int32_t x = (int32_t)a, y = (int32_t)b;
    (void)result;
    return (uint64_t)(uint32_t)(x / y) | (uint64_t)(uint32_t)(x % y) << 32;
}

EXPORT uint64_t __hd_model_ldiv_quot(uint64_t result, uint64_t a, uint64_t b)
{
    (void)result;
    return (uint64_t)((int64_t)a / (int64_t)b);
}

EXPORT uint64_t __hd_model_ldiv_rem(uint64_t result, uint64_t a, uint64_t b)
{
    (void)result;
    return (uint64_t)((int64_t)a % (int64_t)b);
}

/* ---- numbers ---- */

struct number {
    const byte *end; /* what follows it, or its start when there is none */
    const byte *at;
    uint64_t left;
    int base;
    bool minus, ends; /* ends: the text may end, and where is a choice */
};

/* Is there a byte at p, of `left` that may be looked at? */
static bool has(const struct number *n, uint64_t left, const byte *p)
{
    return left > 0 && (!n->ends || __hd_model_more((uint64_t)p));
}

/* What may stand before the digits at s, of at most max bytes. */
static struct number number_head(const byte *s, uint64_t max, int base, bool ends)
{
    struct number n = {.end = s, .base = base, .ends = ends};
    uint64_t i = 0;
    while (has(&n, max - i, s + i) && hd_rt_is_space(s[i]))
        i++;
    if (has(&n, max - i, s + i) && hd_rt_is_sign(s[i]))
        n.minus = s[i++] == '-';
    if ((base == 0 || base == 16) && max - i > 2 && has(&n, 1, s + i) && s[i] == '0' &&
        has(&n, 1, s + i + 1) && hd_rt_low(s[i + 1]) == 'x' && has(&n, 1, s + i + 2) &&
        hd_rt_digit_of(s[i + 2]) < 16) {
        i += 2;
        n.base = 16;
    }
    if (n.base == 0)
        n.base = has(&n, max - i, s + i) && s[i] == '0' ? 8 : 10;
    n.at = s + i;
    n.left = max - i;
    return n;
}

/* The digits, in arithmetic as wide as the result: short numbers are easier for the solver. Numbers
 * that overflow are left to the real function: its result differs then. */
#define DIGITS(name, type)                                                                         \
    static type name(struct number *n)                                                             \
    {                                                                                              \
        type v = 0;                                                                                \
        uint64_t i = 0;                                                                            \
        for (; has(n, n->left - i, n->at + i); i++) {                                              \
            int d = hd_rt_digit_of(n->at[i]);                                                      \
            if (d >= n->base)                                                                      \
                break;                                                                             \
            v = v * (type)n->base + (type)d;                                                       \
        }                                                                                          \
        if (i > 0)                                                                                 \
            n->end = n->at + i;                                                                    \
        return (v ^ ((type)0 - n->minus)) + n->minus; /* its sign is no choice of the path */      \
    }

DIGITS(digits32, uint32_t)
DIGITS(digits64, uint64_t)

EXPORT uint64_t __hd_model_atoi(uint64_t result, uint64_t s)
{
    struct number n = number_head((byte *)s, UINT64_MAX, 10, false);
    (void)result;
    return digits32(&n);
}

static uint64_t plain(uint64_t s)
{
    struct number n = number_head((byte *)s, UINT64_MAX, 10, false);
    return digits64(&n);
}

EXPORT uint64_t __hd_model_atol(uint64_t result, uint64_t s)
{
    (void)result;
    return plain(s);
}

EXPORT uint64_t __hd_model_atoll(uint64_t result, uint64_t s)
{
    (void)result;
    return plain(s);
}

/* Where the number ends was decided by the branches of `number`. */
static uint64_t strto(uint64_t s, uint64_t out, uint64_t base)
{
    struct number n = number_head((byte *)s, UINT64_MAX, (int)base, false);
    uint64_t v = digits64(&n);
    if (out)
        __hd_model_past((uint64_t)n.end);
    return v;
}

#define STRTO(name)                                                                                \
    EXPORT uint64_t __hd_model_##name(uint64_t result, uint64_t s, uint64_t out, uint64_t base)    \
    {                                                                                              \
        (void)result;                                                                              \
        return strto(s, out, base);                                                                \
    }

STRTO(strtol)
STRTO(strtoul)
STRTO(strtoll)
STRTO(strtoull)

/* ---- scanf ---- */

struct scan {
    const byte *in; /* what is left */
    const byte *format;
    const uint64_t *outs;
    bool skip; /* %*d */
    uint64_t width;
    int size;             /* of an integer, in bytes */
    int64_t done, wanted; /* conversions so far, and of the real function */
};

/* Only what the real function stored is given an expression. */
static void put(const struct scan *s, uint64_t at, int size, uint64_t v)
{
    uint64_t was = concrete(v);
    if (s->done >= s->wanted)
        return;
    if (size == 1 && *(volatile uint8_t *)at == (uint8_t)was)
        *(volatile uint8_t *)at = (uint8_t)v;
    else if (size == 2 && *(volatile uint16_t *)at == (uint16_t)was)
        *(volatile uint16_t *)at = (uint16_t)v;
    else if (size == 4 && *(volatile uint32_t *)at == (uint32_t)was)
        *(volatile uint32_t *)at = (uint32_t)v;
    else if (size == 8 && *(volatile uint64_t *)at == was)
        *(volatile uint64_t *)at = v;
}

static void read_flags(struct scan *s)
{
    s->skip = *s->format == '*';
    s->format += s->skip;
    s->width = 0;
    s->size = 4;
    for (; hd_rt_is_digit(*s->format); s->format++)
        s->width = s->width * 10 + (uint64_t)(*s->format - '0');
    for (;; s->format++) {
        if (*s->format == 'l' || *s->format == 'z' || *s->format == 'j')
            s->size = 8;
        else if (*s->format == 'h')
            s->size = s->size == 2 ? 1 : 2;
        else
            return;
    }
}

static bool more(const struct scan *s)
{
    return __hd_model_more((uint64_t)s->in);
}

static bool scan_number(struct scan *s, int base)
{
    while (more(s) && hd_rt_is_space(*s->in))
        s->in++;
    struct number n = number_head(s->in, s->width ? s->width : UINT64_MAX, base, true);
    uint64_t v = s->size <= 4 ? digits32(&n) : digits64(&n);
    if (n.end == s->in)
        return false;
    s->in = n.end;
    if (!s->skip)
        put(s, *s->outs++, s->size, v);
    return true;
}

static bool scan_text(struct scan *s, bool word)
{
    uint64_t n = 0, max = s->width ? s->width : word ? UINT64_MAX : 1;
    while (word && more(s) && hd_rt_is_space(*s->in))
        s->in++;
    byte *out = s->skip ? NULL : (byte *)*s->outs++;
    for (; n < max && more(s) && !(word && hd_rt_is_space(*s->in)); n++, s->in++)
        if (out)
            put(s, (uint64_t)(out + n), 1, *s->in);
    return n > 0;
}

static bool convert(struct scan *s)
{
    read_flags(s);
    switch (*s->format++) {
    case 'd':
    case 'u':
        return scan_number(s, 10);
    case 'i':
        return scan_number(s, 0);
    case 'x':
    case 'X':
        return scan_number(s, 16);
    case 's':
        return scan_text(s, true);
    case 'c':
        return scan_text(s, false);
    default: /* floats, sets: what follows stays concrete */
        __hd_model_lost("scanf, with other conversions than d, i, u, x, s and c");
        return false;
    }
}

EXPORT uint64_t __hd_model_scan(uint64_t result, uint64_t text, uint64_t format,
                                const uint64_t *outs)
{
    struct scan s = {.in = (byte *)text, .format = (byte *)format, .outs = outs};
    s.wanted = (int)result;
    while (*s.format) {
        byte c = *s.format++;
        if (hd_rt_is_space(c)) {
            while (more(&s) && hd_rt_is_space(*s.in))
                s.in++;
        } else if (c != '%' || *s.format == '%') {
            s.format += c == '%';
            if (!more(&s) || *s.in != c)
                break;
            s.in++;
        } else {
            bool skips = *s.format == '*';
            if (!convert(&s))
                break;
            s.done += !skips;
        }
    }
    return s.done < s.wanted ? (uint64_t)s.done : result; /* -1: nothing was there to read */
}

EXPORT uint64_t __hd_model_sscanf(uint64_t result, uint64_t text, uint64_t format, uint64_t a,
                                  uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    uint64_t outs[6] = {a, b, c, d, e, f};
    __hd_model_text(text, length((byte *)text, UINT64_MAX));
    return __hd_model_scan(result, text, format, outs);
}
