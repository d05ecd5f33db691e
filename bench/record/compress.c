/* A compressor and its decompressor, each thread on a buffer of its own: matches are found through
 * a table of hashes, literals and lengths go through prefix codes, the way back copies bytes that
 * may overlap. Locked only to take the next block. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS   4
#define BLOCK     32000
#define HASH_BITS 12
#define MIN_MATCH 4
#define SYMBOLS   256
#define CODE_BITS 11

struct sequence {
    uint16_t literals, length, distance;
};

struct bits {
    uint64_t word;
    unsigned n;
    uint8_t *at;
};

struct work {
    uint8_t in[BLOCK + 16], literals[BLOCK + 16], packed[2 * BLOCK], out[BLOCK + 16];
    uint32_t heads[1 << HASH_BITS];
    struct sequence sequences[BLOCK / MIN_MATCH + 1];
    uint32_t counts[SYMBOLS];
    uint8_t lengths[SYMBOLS];
    uint16_t codes[SYMBOLS];
    uint16_t table[1 << CODE_BITS]; /* symbol << 8 | length */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int blocks, next_block;
static unsigned long total_in, total_out;

static uint64_t load8(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

static uint32_t hash(const uint8_t *p)
{
    return (uint32_t)((load8(p) << 24) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASH_BITS));
}

static unsigned match_length(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    const uint8_t *start = b;
    while (b + 8 <= end) {
        uint64_t differ = load8(a) ^ load8(b);
        if (differ)
            return (unsigned)(b - start) + (unsigned)__builtin_ctzll(differ) / 8;
        a += 8;
        b += 8;
    }
    while (b < end && *a == *b)
        a++, b++;
    return (unsigned)(b - start);
}

/* May write up to 15 bytes more than asked for, as fast decompressors do. */
static void copy16(uint8_t *to, const uint8_t *from, size_t n)
{
    size_t i = 0;
    do {
        memcpy(to + i, from + i, 16);
        i += 16;
    } while (i < n);
}

static unsigned find_matches(struct work *w, unsigned *n_literals)
{
    const uint8_t *p = w->in, *anchor = p, *end = w->in + BLOCK;
    unsigned n = 0, lits = 0;
    memset(w->heads, 0, sizeof w->heads);
    while (p + 16 < end) {
        uint32_t h = hash(p);
        const uint8_t *candidate = w->in + w->heads[h];
        w->heads[h] = (uint32_t)(p - w->in);
        unsigned length = candidate < p ? match_length(candidate, p, end) : 0;
        if (length < MIN_MATCH) {
            p += 1 + (unsigned)(p - anchor) / 64;
            continue;
        }
        w->sequences[n++] =
            (struct sequence){(uint16_t)(p - anchor), (uint16_t)length, (uint16_t)(p - candidate)};
        copy16(w->literals + lits, anchor, (size_t)(p - anchor));
        lits += (unsigned)(p - anchor);
        p += length;
        anchor = p;
    }
    w->sequences[n++] = (struct sequence){(uint16_t)(end - anchor), 0, 0};
    memcpy(w->literals + lits, anchor, (size_t)(end - anchor));
    *n_literals = lits + (unsigned)(end - anchor);
    return n;
}

/* Lengths by frequency, rounded to powers of two, then made to fill the code space. */
static void make_codes(struct work *w, unsigned n_literals)
{
    uint32_t next[CODE_BITS + 2] = {0}, room = 1 << CODE_BITS;
    memset(w->counts, 0, sizeof w->counts);
    for (unsigned i = 0; i < n_literals; i++)
        w->counts[w->literals[i]]++;
    for (unsigned s = 0; s < SYMBOLS; s++) {
        unsigned length = 1;
        while (length < CODE_BITS &&
               ((uint64_t)(w->counts[s] + 1) << length) < n_literals + SYMBOLS + 1)
            length++;
        w->lengths[s] = (uint8_t)length;
    }
    for (unsigned pass = 0; pass < 2; pass++) {
        uint32_t used = 0;
        for (unsigned s = 0; s < SYMBOLS; s++)
            used += room >> w->lengths[s];
        for (unsigned s = 0; s < SYMBOLS && used > room; s++)
            if (w->lengths[s] < CODE_BITS) {
                used -= (room >> w->lengths[s]) - (room >> (w->lengths[s] + 1));
                w->lengths[s]++;
            }
    }
    for (unsigned length = 1; length <= CODE_BITS; length++) {
        for (unsigned s = 0; s < SYMBOLS; s++) {
            if (w->lengths[s] != length)
                continue;
            uint32_t from = next[0], span = room >> length;
            w->codes[s] = (uint16_t)(from >> (CODE_BITS - length));
            for (uint32_t i = 0; i < span; i++)
                w->table[from + i] = (uint16_t)(s << 8 | length);
            next[0] += span;
        }
    }
}

static void put(struct bits *b, uint64_t code, unsigned n)
{
    b->word = b->word << n | code;
    b->n += n;
    while (b->n >= 8) {
        b->n -= 8;
        *b->at++ = (uint8_t)(b->word >> b->n);
    }
}

static uint64_t get(struct bits *b, unsigned n)
{
    while (b->n < n) {
        b->word = b->word << 8 | *b->at++;
        b->n += 8;
    }
    b->n -= n;
    return b->word >> b->n & ((UINT64_C(1) << n) - 1);
}

static size_t encode(struct work *w, unsigned n_sequences, unsigned n_literals)
{
    struct bits b = {.at = w->packed};
    for (unsigned i = 0; i < n_literals; i++)
        put(&b, w->codes[w->literals[i]], w->lengths[w->literals[i]]);
    for (unsigned i = 0; i < n_sequences; i++) {
        put(&b, w->sequences[i].literals, 15);
        put(&b, w->sequences[i].length, 15);
        put(&b, w->sequences[i].distance, 15);
    }
    put(&b, 0, 7);
    return (size_t)(b.at - w->packed);
}

static void decode(struct work *w, unsigned n_sequences, unsigned n_literals)
{
    struct bits b = {.at = w->packed};
    for (unsigned i = 0; i < n_literals; i++) {
        while (b.n < CODE_BITS) {
            b.word = b.word << 8 | *b.at++;
            b.n += 8;
        }
        unsigned e = w->table[b.word >> (b.n - CODE_BITS) & ((1u << CODE_BITS) - 1)];
        w->literals[i] = (uint8_t)(e >> 8);
        b.n -= e & 255;
    }
    uint8_t *to = w->out;
    const uint8_t *from = w->literals;
    for (unsigned i = 0; i < n_sequences; i++) {
        size_t lits = get(&b, 15), length = get(&b, 15), distance = get(&b, 15);
        if (to + lits + 16 < w->out + BLOCK)
            copy16(to, from, lits);
        else
            memcpy(to, from, lits);
        to += lits;
        from += lits;
        const uint8_t *match = to - distance;
        if (distance >= 16 && to + length + 16 < w->out + BLOCK)
            copy16(to, match, length);
        else
            for (size_t k = 0; k < length; k++)
                to[k] = match[k];
        to += length;
    }
}

/* Words of a small language, with some noise. */
static void fill(uint8_t *p, int block)
{
    static const char words[8][8] = {"loom", "warp", "weft",   "heddle",
                                     "shed", "reed", "batten", "treadle"};
    uint32_t x = 2463534242u + (uint32_t)block;
    for (unsigned i = 0; i < BLOCK;) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        if (x % 4 == 0)
            p[i++] = (uint8_t)('a' + (x >> 8) % 26);
        for (const char *s = words[x >> 20 & 7]; *s && i < BLOCK; s++)
            p[i++] = (uint8_t)*s;
        if (i < BLOCK)
            p[i++] = ' ';
    }
}

static void *work(void *arg)
{
    struct work *w = arg;
    for (;;) {
        pthread_mutex_lock(&lock);
        int block = next_block < blocks ? next_block++ : -1;
        pthread_mutex_unlock(&lock);
        if (block < 0)
            return NULL;
        fill(w->in, block);
        unsigned n_literals, n_sequences = find_matches(w, &n_literals);
        make_codes(w, n_literals);
        size_t size = encode(w, n_sequences, n_literals);
        memset(w->literals, 0, sizeof w->literals);
        decode(w, n_sequences, n_literals);
        if (memcmp(w->in, w->out, BLOCK))
            abort();
        pthread_mutex_lock(&lock);
        total_in += BLOCK;
        total_out += size;
        pthread_mutex_unlock(&lock);
    }
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    blocks = 48 * (argc > 1 ? atoi(argv[1]) : 1);
    struct work *w = calloc(THREADS, sizeof *w);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, &w[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%lu -> %lu\n", total_in, total_out);
    free(w);
    return 0;
}
