/* What streams of C++ read as input: std::cin, std::ifstream and std::istringstream of libstdc++.
 * Runs in the user's process; see the rules in rt.h.
 *
 * The text of a stream is that of its descriptor (sym_stream.c), or the memory of its string. Where
 * the stream stands is asked before a call, by the hook, and after it, by the model, which so knows
 * which bytes the call took, does the same work on them, and gives what came out their expressions.
 * Which state the stream is left in follows from the choices of the model.
 *
 * There is no header of libstdc++ for C. Places in its objects are those of its ABI, which has not
 * changed since its version 3.4; tests/concolic/test_streams.sh compares them with the headers.
 * Calls on buffers of other classes count as not modelled. */
#include "rt/concolic/rt_sym.h"
#include "rt/concolic/sym_models.h"
#include "rt/concolic/sym_stream.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes from the start of an object. */
enum {
    IOS_WIDTH = 16,
    IOS_FLAGS = 24,
    IOS_STATE = 32,
    IOS_BUFFER = 232,
    BUFFER_CURRENT = 16, /* next byte to read, and behind the last one */
    BUFFER_END = 24,
    SYNC_FILE = 64,  /* of the buffer of std::cin: a FILE * */
    FILE_FILE = 104, /* of that of a file */
    IFSTREAM_BUFFER = 16,
    FSTREAM_BUFFER = 24, /* also of a stringstream */
};
enum { FLAG_DEC = 2, FLAG_HEX = 8, FLAG_OCT = 64, FLAG_SKIP = 4096 }; /* std::ios_base::fmtflags */

/* std::ws; NULL: the program has no streams. */
extern const char skip_spaces[] __asm__("_ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_")
    __attribute__((weak));

#define AT(type, object, offset) (*(type *)((char *)(object) + (offset)))

enum kind { OTHER, SYNC, FILES, STRING };

static bool equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* By the name of its class, which its virtual table leads to. */
static enum kind kind_of(const void *buffer)
{
    const char *type = ((char **)AT(void *, buffer, 0))[-1];
    const char *name = type ? AT(const char *, type, sizeof(void *)) : "";
    if (equal(name, "N9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE"))
        return SYNC;
    if (equal(name, "St13basic_filebufIcSt11char_traitsIcEE") ||
        equal(name, "N9__gnu_cxx13stdio_filebufIcSt11char_traitsIcEEE"))
        return FILES;
    if (equal(name, "NSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE"))
        return STRING;
    return OTHER;
}

/* The part of a stream that all streams have: where it is, its table says. */
static char *ios_of(const void *stream)
{
    return (char *)stream + ((const ptrdiff_t *)AT(void *, stream, 0))[-3];
}

/* Between the hook before a call and the model after it. */
struct look {
    const void *stream;
    struct hd_sym_stream *file; /* NULL: a string */
    const uint8_t *text;        /* what was left to read */
    size_t size, start;
    uint32_t flags;
    uint64_t width;
};
static __thread struct look before;

static FILE *file_of(const void *buffer)
{
    return AT(FILE *, buffer, kind_of(buffer) == SYNC ? SYNC_FILE : FILE_FILE);
}

/* Where the program stands in a file; its buffer may have read further. */
static long place_of(const void *buffer)
{
    FILE *f = file_of(buffer);
    if (kind_of(buffer) == SYNC)
        return ftell(f);
    long at = hd_rt_syscall(SYS_lseek, fileno(f), 0, SEEK_CUR, 0, 0, 0);
    return at - (AT(char *, buffer, BUFFER_END) - AT(char *, buffer, BUFFER_CURRENT));
}

static bool look_at_file(struct look *l, const void *buffer)
{
    FILE *f = file_of(buffer);
    l->file = f ? hd_rt_sym_stream_of(fileno(f)) : NULL;
    long at = l->file ? place_of(buffer) : -1;
    if (at < 0 || (size_t)at > l->file->size)
        return false;
    l->start = (size_t)at;
    l->text = l->file->bytes + at;
    l->size = l->file->size - (size_t)at;
    return true;
}

static bool look_at_string(struct look *l, const void *buffer)
{
    l->text = AT(uint8_t *, buffer, BUFFER_CURRENT);
    l->size = (size_t)(AT(uint8_t *, buffer, BUFFER_END) - l->text);
    return l->text && hd_rt_sym_any(l->text, l->size);
}

HD_EXPORT void __hd_sym_istream(void *name, void *stream, uint32_t has_model)
{
    before.stream = NULL;
    if (!hd_rt_sym.on)
        return;
    const char *ios = ios_of(stream);
    const void *buffer = AT(void *, ios, IOS_BUFFER);
    if (!buffer || AT(uint32_t, ios, IOS_STATE) != 0)
        return; /* nothing is read */
    struct look l = {.stream = stream};
    l.flags = AT(uint32_t, ios, IOS_FLAGS);
    l.width = AT(uint64_t, ios, IOS_WIDTH);
    enum kind kind = kind_of(buffer);
    if (kind == OTHER)
        hd_rt_sym_name_call(name);
    else if (!(kind == STRING ? look_at_string(&l, buffer) : look_at_file(&l, buffer)))
        return;
    else if (!has_model)
        hd_rt_sym_name_call(name);
    else
        before = l;
}

/* Into a string the text would come back as input. */
HD_EXPORT void __hd_sym_ostream(void *name, void *stream)
{
    if (!hd_rt_sym.on)
        return;
    const void *buffer = AT(void *, ios_of(stream), IOS_BUFFER);
    if (buffer && (kind_of(buffer) == STRING || kind_of(buffer) == OTHER))
        hd_rt_sym_name_call(name);
}

/* How many bytes the call took; false: there is nothing to say. */
static bool took(uint64_t stream, size_t *n)
{
    if (!before.stream || before.stream != (void *)stream)
        return false;
    before.stream = NULL;
    const char *ios = ios_of((void *)stream);
    const void *buffer = AT(void *, ios, IOS_BUFFER);
    long end = before.file ? place_of(buffer) - (long)before.start
                           : AT(uint8_t *, buffer, BUFFER_CURRENT) - before.text;
    if (end < 0 || (size_t)end > before.size)
        return false;
    *n = (size_t)end;
    if (before.file)
        before.file->pos = before.start + *n;
    hd_rt_sym_past(before.start + *n);
    hd_rt_sym_past(AT(uint32_t, ios, IOS_STATE));
    return true;
}

/* n bytes were taken; met: one more was looked for. */
static void reached(size_t n, bool met)
{
    if (before.file)
        hd_rt_sym_reached(before.file, before.start, before.start + n, met);
}

static void read_text(void)
{
    if (before.file)
        hd_rt_sym_read_from(before.file, before.start);
    else
        __hd_model_text((uint64_t)before.text, before.size);
}

/* Bytes of the text at `from` came to p. */
static void arrived(void *p, size_t from, size_t n)
{
    hd_rt_sym_copy(p, before.text + from, n);
    hd_rt_sym_past((uintptr_t)p + n * 3 + from);
}

/* ---- numbers, characters, words ---- */

static uint64_t number(uint64_t stream, uint64_t out, uint64_t bytes, bool is_signed,
                       const char *name)
{
    size_t n;
    if (!took(stream, &n))
        return stream;
    uint32_t base = before.flags & (FLAG_DEC | FLAG_HEX | FLAG_OCT);
    uint64_t radix = base == FLAG_DEC ? 10 : base == FLAG_HEX ? 16 : base == FLAG_OCT ? 8 : 0;
    hd_rt_sym_clear((void *)out, bytes);
    read_text();
    uint64_t same = __hd_model_stream_number((uint64_t)before.text, out,
                                             bytes | (uint64_t)is_signed << 8 | radix << 16 |
                                                 (uint64_t) !!(before.flags & FLAG_SKIP) << 24);
    if (same != n)
        hd_rt_sym_name_call(name);
    return stream;
}

#define NUMBER(name, bytes, is_signed, text)                                                       \
    HD_EXPORT uint64_t __hd_model_##name(uint64_t result, uint64_t stream, uint64_t out)           \
    {                                                                                              \
        number(stream, out, bytes, is_signed, "std::istream::operator>>(" text "&)");              \
        return result;                                                                             \
    }
NUMBER(istream_i2, 2, true, "short")
NUMBER(istream_u2, 2, false, "unsigned short")
NUMBER(istream_i4, 4, true, "int")
NUMBER(istream_u4, 4, false, "unsigned")
NUMBER(istream_i8, 8, true, "long")
NUMBER(istream_u8, 8, false, "unsigned long")

/* Spaces before what is read. */
static size_t spaces(void)
{
    read_text();
    return before.flags & FLAG_SKIP
               ? __hd_model_stream_span((uint64_t)before.text, UINT64_MAX, true)
               : 0;
}

HD_EXPORT uint64_t __hd_model_istream_char(uint64_t result, uint64_t stream, uint64_t out)
{
    size_t n;
    if (!took(stream, &n))
        return result;
    size_t skipped = spaces();
    if (__hd_model_more((uint64_t)before.text + skipped))
        arrived((void *)out, skipped, 1);
    return result;
}

/* The characters of a string of C++, which begins with their address and their number. */
static void fill_string(uint64_t string, size_t from, size_t n)
{
    char *text = AT(char *, string, 0);
    hd_rt_sym_clear((void *)string, 16);
    if (n != AT(size_t, string, 8)) {
        hd_rt_sym_name_call("std::string, read from a stream");
        return;
    }
    arrived(text, from, n);
    hd_rt_sym_clear(text + n, 1);
    hd_rt_sym_past(n);
}

HD_EXPORT uint64_t __hd_model_istream_word(uint64_t result, uint64_t stream, uint64_t string)
{
    size_t n;
    if (!took(stream, &n))
        return result;
    size_t skipped = spaces();
    uint64_t most = before.width ? before.width : UINT64_MAX;
    __hd_model_stream_span((uint64_t)before.text + skipped, most, false);
    if (skipped < n) /* else the string is what it was */
        fill_string(string, skipped, n - skipped);
    return result;
}

HD_EXPORT uint64_t __hd_model_istream_ws(uint64_t result, uint64_t stream)
{
    size_t n;
    if (!took(stream, &n))
        return result;
    before.flags |= FLAG_SKIP;
    spaces();
    return result;
}

/* Of these std::ws is the only one that reads and has no hooks of its own. */
HD_EXPORT uint64_t __hd_model_istream_manipulator(uint64_t result, uint64_t stream, uint64_t fn)
{
    return (const char *)fn == skip_spaces ? __hd_model_istream_ws(result, stream) : result;
}

/* ---- lines and bytes ---- */

/* n bytes up to and with `last`. */
static void line(size_t n, bool full, uint8_t last)
{
    if (before.file)
        hd_rt_sym_read_line(before.file, before.start, before.start + n, full, last);
    for (size_t i = 0; !before.file && i < n; i++)
        hd_rt_sym_ends_at(before.text + i, last);
}

static bool has_end(size_t n, uint8_t last)
{
    return n > 0 && before.text[n - 1] == last;
}

HD_EXPORT uint64_t __hd_model_istream_line_to(uint64_t result, uint64_t stream, uint64_t string,
                                              uint64_t last)
{
    size_t n;
    if (!took(stream, &n))
        return result;
    line(n, false, (uint8_t)last);
    fill_string(string, 0, n - has_end(n, (uint8_t)last));
    return result;
}

HD_EXPORT uint64_t __hd_model_istream_line(uint64_t result, uint64_t stream, uint64_t string)
{
    return __hd_model_istream_line_to(result, stream, string, '\n');
}

HD_EXPORT uint64_t __hd_model_istream_getline_to(uint64_t result, uint64_t stream, uint64_t out,
                                                 uint64_t room, uint64_t last)
{
    size_t n;
    if (!took(stream, &n))
        return result;
    size_t kept = n - has_end(n, (uint8_t)last);
    line(n, kept + 1 >= room, (uint8_t)last);
    if (kept + 1 >= room) /* whether it fits: the byte behind is looked at */
        hd_rt_sym_name_call("std::istream::getline, with a line that fills the memory");
    arrived((void *)out, 0, kept);
    hd_rt_sym_clear((char *)out + kept, 1);
    return result;
}

HD_EXPORT uint64_t __hd_model_istream_getline(uint64_t result, uint64_t stream, uint64_t out,
                                              uint64_t room)
{
    return __hd_model_istream_getline_to(result, stream, out, room, '\n');
}

/* One character as an int; kept: it stays in the stream. */
static uint64_t one(uint64_t result, uint64_t stream, bool kept, const void *model)
{
    size_t n;
    __hd_sym_flow.returner = model;
    __hd_sym_flow.ret = 0;
    if (!took(stream, &n))
        return result;
    reached(kept && (int)result >= 0 ? 1 : n, (int)result < 0);
    uint32_t id = (int)result < 0 ? 0 : hd_rt_sym_byte(before.text);
    if (id)
        __hd_sym_flow.ret = hd_rt_sym_make(HD_SYM_ZEXT, 64, id, 0, 0, result);
    return result;
}

HD_EXPORT uint64_t __hd_model_istream_get(uint64_t result, uint64_t stream)
{
    return one(result, stream, false, (const void *)__hd_model_istream_get);
}

HD_EXPORT uint64_t __hd_model_istream_peek(uint64_t result, uint64_t stream)
{
    return one(result, stream, true, (const void *)__hd_model_istream_peek);
}

HD_EXPORT uint64_t __hd_model_istream_read(uint64_t result, uint64_t stream, uint64_t out,
                                           uint64_t wanted)
{
    size_t n;
    if (!took(stream, &n))
        return result;
    reached(n, n < wanted);
    arrived((void *)out, 0, n);
    return result;
}

HD_EXPORT uint64_t __hd_model_istream_get_char(uint64_t result, uint64_t stream, uint64_t out)
{
    return __hd_model_istream_read(result, stream, out, 1);
}

HD_EXPORT uint64_t __hd_model_istream_ignore_to(uint64_t result, uint64_t stream, uint64_t wanted,
                                                uint64_t last)
{
    size_t n;
    if (!took(stream, &n))
        return result;
    if ((int)last >= 0)
        line(n, n == wanted, (uint8_t)last);
    else
        reached(n, n < wanted);
    return result;
}

HD_EXPORT uint64_t __hd_model_istream_ignore(uint64_t result, uint64_t stream, uint64_t wanted)
{
    return __hd_model_istream_ignore_to(result, stream, wanted, UINT64_MAX);
}

HD_EXPORT uint64_t __hd_model_istream_ignore_one(uint64_t result, uint64_t stream)
{
    return __hd_model_istream_ignore_to(result, stream, 1, UINT64_MAX);
}

/* ---- where the text comes from ---- */

HD_EXPORT uint64_t __hd_model_filebuf_open(uint64_t result, uint64_t buffer, uint64_t path)
{
    FILE *f = hd_rt_sym.on ? AT(FILE *, buffer, FILE_FILE) : NULL;
    if (f)
        hd_rt_sym_opened(fileno(f), (const char *)path);
    return result;
}

HD_EXPORT uint64_t __hd_model_ifstream_open(uint64_t result, uint64_t stream, uint64_t path)
{
    return __hd_model_filebuf_open(result, stream + IFSTREAM_BUFFER, path);
}

HD_EXPORT uint64_t __hd_model_ifstream_open_string(uint64_t result, uint64_t stream, uint64_t path)
{
    return __hd_model_ifstream_open(result, stream, AT(uint64_t, path, 0));
}

HD_EXPORT uint64_t __hd_model_fstream_open(uint64_t result, uint64_t stream, uint64_t path)
{
    return __hd_model_filebuf_open(result, stream + FSTREAM_BUFFER, path);
}

HD_EXPORT uint64_t __hd_model_fstream_open_string(uint64_t result, uint64_t stream, uint64_t path)
{
    return __hd_model_fstream_open(result, stream, AT(uint64_t, path, 0));
}

/* A copy of the characters, made by code without hooks. */
static uint64_t copy_string(uint64_t result, uint64_t buffer, uint64_t string)
{
    const char *from = AT(char *, string, 0);
    char *to = AT(char *, buffer, BUFFER_CURRENT);
    size_t n = AT(size_t, string, 8);
    if (hd_rt_sym.on && to && (size_t)(AT(char *, buffer, BUFFER_END) - to) == n) {
        hd_rt_sym_copy(to, from, n);
        hd_rt_sym_past(n);
    }
    return result;
}

HD_EXPORT uint64_t __hd_model_istringstream_of(uint64_t result, uint64_t stream, uint64_t string)
{
    return copy_string(result, stream + IFSTREAM_BUFFER, string);
}

HD_EXPORT uint64_t __hd_model_stringstream_of(uint64_t result, uint64_t stream, uint64_t string)
{
    return copy_string(result, stream + FSTREAM_BUFFER, string);
}
