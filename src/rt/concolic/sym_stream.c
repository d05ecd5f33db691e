/* Files and standard input as inputs: what read and the functions of stdio brought into memory.
 * Runs in the user's process; see the rules in rt.h.
 *
 * The descriptor is pointed at a file in memory that holds the bytes of the object, before the
 * program reads any. `bytes` is the same contents with its shadow: after each call that reads, the
 * place in the file tells which of them arrived where. Models are called by instrumented code after
 * the real function, with its result and arguments as 64-bit numbers; ids of results go out through
 * the flow record.
 *
 * How many bytes there are is input, too, from none to the room that was asked for: a call that
 * got all it wanted says that there are so many, one that met the end says how many there are. */
#include "rt/core/range_log.h"
#include "rt/concolic/rt_sym.h"
#include "rt/concolic/sym_models.h"
#include "rt/concolic/sym_stream.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STREAMS      1024
#define MOST_LENGTHS 256u /* of larger ones the length stays as it is, and that is counted */

static struct hd_sym_stream streams[STREAMS]; /* by descriptor */

/* The number of bytes as an input object of its own, "stdin.length": *size, if none is given. */
static uint32_t length_of(const char *name, size_t room, size_t *size)
{
    char full[72];
    uint8_t bytes[2] = {(uint8_t)*size, (uint8_t)(*size >> 8)};
    unsigned n = 0;
    if (room > MOST_LENGTHS) {
        hd_rt_sym_lost(HD_SYM_LOST_ADDRESS);
        return 0;
    }
    for (; name[n] && n < sizeof full - 8; n++)
        full[n] = name[n];
    for (unsigned i = 0; i < 8; i++)
        full[n + i] = ".length"[i];
    hd_rt_sym_input(full, bytes, 2);
    uint64_t v = bytes[0] | (uint64_t)bytes[1] << 8;
    uint32_t id = hd_rt_sym_bytes(bytes, 2, v);
    hd_rt_sym_set_bytes(bytes, 2, 0);
    if (!id || v > room)
        return 0;
    *size = v;
    hd_rt_sym_step(hd_rt_sym_make(HD_SYM_ULE, 1, id, hd_rt_sym_const(16, room), 0, 1), true,
                   HD_SYM_ASSUME, HD_SYM_NO_OUTCOME, HD_SYM_NO_OUTCOME);
    return id;
}

static bool redirect(int fd, const char *name, uint8_t *bytes, size_t room, size_t size)
{
    long copy = hd_rt_syscall(SYS_memfd_create, (long)"heddle-input", 1, 0, 0, 0, 0);
    if (copy < 0)
        return false;
    hd_rt_sym_input(name, bytes, room);
    uint32_t length = length_of(name, room, &size);
    for (size_t done = 0; done < size;) {
        long n = hd_rt_syscall(SYS_write, copy, (long)(bytes + done), (long)(size - done), 0, 0, 0);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    hd_rt_syscall(SYS_lseek, copy, 0, SEEK_SET, 0, 0, 0);
    long r = hd_rt_syscall(SYS_dup2, copy, fd, 0, 0, 0, 0);
    hd_rt_syscall(SYS_close, copy, 0, 0, 0, 0, 0);
    if (r == fd && fd < STREAMS)
        streams[fd] = (struct hd_sym_stream){bytes, size, 0, length, room, false};
    return r == fd;
}

/* One choice for each byte, so that runs of all lengths have the choices before their end in
 * common.
 */
void hd_rt_sym_reached(struct hd_sym_stream *s, size_t start, size_t end, bool met)
{
    s->seen = true;
    for (uint64_t k = start + 1; s->length && k <= end + met && k <= s->room; k++)
        hd_rt_sym_step(
            hd_rt_sym_make(HD_SYM_UGE, 1, s->length, hd_rt_sym_const(16, k), 0, s->size >= k),
            s->size >= k, HD_SYM_CHECK, HD_SYM_NO_OUTCOME, HD_SYM_NO_OUTCOME);
    if (met)
        hd_rt_sym_past(s->size + 1);
}

/* The real contents come first, and are all in the first run; zeros fill up to size. */
static void take_over(int fd, const char *name, size_t size)
{
    struct stat st;
    size_t real = 0;
    if (hd_rt_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0 && S_ISREG(st.st_mode))
        real = (size_t)st.st_size;
    if (size < real)
        size = real;
    if (size == 0 || size > HD_SYM_MAX_DATA)
        return;
    uint8_t *bytes = hd_rt_mem(size + 1);
    if (real)
        hd_rt_syscall(SYS_pread64, fd, (long)bytes, (long)real, 0, 0, 0);
    redirect(fd, name, bytes, size, real ? real : size);
}

void hd_rt_sym_stdin(size_t size)
{
    take_over(0, "stdin", size);
}

struct hd_sym_stream *hd_rt_sym_stream_of(int fd)
{
    return hd_rt_sym.on && fd >= 0 && fd < STREAMS && streams[fd].bytes ? &streams[fd] : NULL;
}

void hd_rt_sym_streams_end(void)
{
    for (int fd = 0; hd_rt_sym.on && fd < STREAMS; fd++)
        if (streams[fd].bytes && !streams[fd].seen &&
            hd_rt_syscall(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0) > 0)
            hd_rt_sym_name_call(fd == 0 ? "(what reads standard input)" : "(what reads a file)");
}

/* n bytes at p came from the stream. */
static void arrived(struct hd_sym_stream *s, void *p, size_t n)
{
    if (s->pos > s->size || n > s->size - s->pos)
        n = s->pos > s->size ? 0 : s->size - s->pos;
    hd_rt_sym_copy(p, s->bytes + s->pos, n);
    hd_rt_sym_past((uintptr_t)p + n * 3 + s->pos);
}

/* ---- opening ---- */

void hd_rt_sym_opened(int fd, const char *path)
{
    char name[56] = "file:";
    uint64_t size;
    unsigned n = 5;
    if (fd < 0 || fd >= STREAMS)
        return;
    streams[fd].bytes = NULL;
    if (!hd_rt_sym_setting("input:file:", path, &size))
        return;
    while (*path && n < sizeof name - 1)
        name[n++] = *path++;
    take_over(fd, name, size);
}

HD_EXPORT uint64_t __hd_model_open(uint64_t result, uint64_t path)
{
    if (hd_rt_sym.on)
        hd_rt_sym_opened((int)result, (const char *)path);
    return result;
}

HD_EXPORT uint64_t __hd_model_open64(uint64_t result, uint64_t path)
{
    return __hd_model_open(result, path);
}

HD_EXPORT uint64_t __hd_model_fopen(uint64_t result, uint64_t path)
{
    if (hd_rt_sym.on && result)
        hd_rt_sym_opened(fileno((FILE *)result), (const char *)path);
    return result;
}

HD_EXPORT uint64_t __hd_model_fopen64(uint64_t result, uint64_t path)
{
    return __hd_model_fopen(result, path);
}

/* ---- reading ---- */

HD_EXPORT uint64_t __hd_model_read(uint64_t result, uint64_t fd, uint64_t buf, uint64_t n)
{
    struct hd_sym_stream *s = hd_rt_sym_stream_of((int)fd);
    if (!s || (int64_t)result < 0)
        return result;
    long end = hd_rt_syscall(SYS_lseek, (long)(int)fd, 0, SEEK_CUR, 0, 0, 0);
    s->pos = (size_t)end - (size_t)result;
    hd_rt_sym_reached(s, s->pos, (size_t)end, result < n);
    arrived(s, (void *)buf, (size_t)result);
    s->pos = (size_t)end;
    return result;
}

/* Where the stream stands after a call; *start: where it stood before. NULL: not an input. */
static struct hd_sym_stream *moved(uint64_t file, size_t *start, size_t *end)
{
    struct hd_sym_stream *s = file ? hd_rt_sym_stream_of(fileno((FILE *)file)) : NULL;
    long at = s ? ftell((FILE *)file) : -1;
    if (at < 0)
        return NULL;
    *start = s->pos;
    *end = (size_t)at;
    return s;
}

/* What the models are reading. */
static __thread struct {
    struct hd_sym_stream *stream; /* NULL: memory */
    uint64_t text, size;
    uint64_t asked; /* bytes of it that were looked for */
} reader;

void __hd_model_text(uint64_t text, uint64_t size)
{
    reader.stream = NULL;
    reader.text = text;
    reader.size = size;
}

void hd_rt_sym_read_from(struct hd_sym_stream *s, size_t start)
{
    __hd_model_text((uint64_t)(s->bytes + start), s->size - start);
    reader.stream = s;
    reader.asked = 0;
}

bool __hd_model_more(uint64_t p)
{
    uint64_t at = p - reader.text;
    bool is = at < reader.size;
    if (reader.stream && at >= reader.asked) {
        size_t start = (size_t)(reader.text - (uint64_t)reader.stream->bytes + at);
        hd_rt_sym_reached(reader.stream, start, start + is, !is);
        reader.asked = at + 1;
    }
    return is;
}

/* Is the byte of the text at p the one that ends it? */
void hd_rt_sym_ends_at(const uint8_t *p, uint8_t end)
{
    uint32_t id = hd_rt_sym_byte(p), with = hd_rt_sym_const(8, end);
    if (id)
        hd_rt_sym_step(hd_rt_sym_make(HD_SYM_EQ, 1, id, with, 0, *p == end), *p == end,
                       HD_SYM_CHECK, HD_SYM_NO_OUTCOME, HD_SYM_NO_OUTCOME);
}

void hd_rt_sym_read_line(struct hd_sym_stream *s, size_t start, size_t end, bool full, uint8_t last)
{
    for (size_t i = start; i < end; i++) {
        hd_rt_sym_reached(s, i, i + 1, false);
        hd_rt_sym_ends_at(&s->bytes[i], last);
    }
    if (!full && (end == start || s->bytes[end - 1] != last))
        hd_rt_sym_reached(s, end, end, true);
}

HD_EXPORT uint64_t __hd_model_fgets(uint64_t result, uint64_t buf, uint64_t n, uint64_t file)
{
    size_t start, end;
    struct hd_sym_stream *s = moved(file, &start, &end);
    if (!s)
        return result;
    if (result) {
        arrived(s, (void *)buf, end - start);
        hd_rt_sym_set_byte((uint8_t *)buf + (end - start), 0);
    }
    s->pos = end;
    hd_rt_sym_read_line(s, start, end, end - start + 1 >= n, '\n');
    return result;
}

HD_EXPORT uint64_t __hd_model_getline(uint64_t result, uint64_t line, uint64_t n, uint64_t file)
{
    size_t start, end;
    struct hd_sym_stream *s = moved(file, &start, &end);
    (void)n;
    if (!s)
        return result;
    char *buf = *(char **)line;
    if ((int64_t)result > 0) {
        arrived(s, buf, end - start);
        hd_rt_sym_set_byte(buf + (end - start), 0);
    }
    s->pos = end;
    hd_rt_sym_read_line(s, start, end, false, '\n');
    return result;
}

/* In optimised code getline is this. */
HD_EXPORT uint64_t __hd_model_getdelim(uint64_t result, uint64_t line, uint64_t n, uint64_t end,
                                       uint64_t file)
{
    if ((int)end != '\n' && file && hd_rt_sym_stream_of(fileno((FILE *)file)))
        hd_rt_sym_name_call("getdelim, with another end than that of a line");
    return __hd_model_getline(result, line, n, file);
}

/* Ways to read that are not followed. */
static uint64_t not_followed(uint64_t result, int fd, const char *name)
{
    if (hd_rt_sym_stream_of(fd))
        hd_rt_sym_name_call(name);
    return result;
}

HD_EXPORT uint64_t __hd_model_pread(uint64_t result, uint64_t fd)
{
    return not_followed(result, (int)fd, "pread");
}

HD_EXPORT uint64_t __hd_model_readv(uint64_t result, uint64_t fd)
{
    return not_followed(result, (int)fd, "readv");
}

HD_EXPORT uint64_t __hd_model_mmap(uint64_t result, uint64_t p, uint64_t n, uint64_t how,
                                   uint64_t flags, uint64_t fd)
{
    (void)p, (void)n, (void)how, (void)flags;
    return not_followed(result, (int)fd, "mmap");
}

HD_EXPORT uint64_t __hd_model_fread(uint64_t result, uint64_t buf, uint64_t size, uint64_t n,
                                    uint64_t file)
{
    size_t start, end;
    struct hd_sym_stream *s = moved(file, &start, &end);
    if (s) {
        hd_rt_sym_reached(s, start, end, end - start < size * n);
        arrived(s, (void *)buf, end - start);
        s->pos = end;
    }
    return result;
}

/* One character as an int. */
static uint64_t one(uint64_t result, uint64_t file, const void *model)
{
    size_t start, end;
    struct hd_sym_stream *s = moved(file, &start, &end);
    __hd_sym_flow.returner = model;
    __hd_sym_flow.ret = 0;
    if (!s)
        return result;
    hd_rt_sym_reached(s, start, end, (int)result < 0);
    if ((int)result >= 0 && end > 0 && end <= s->size) {
        uint32_t id = hd_rt_sym_byte(s->bytes + end - 1);
        __hd_sym_flow.ret = hd_rt_sym_make(HD_SYM_ZEXT, 64, id, 0, 0, result);
    }
    s->pos = end;
    hd_rt_sym_past(end);
    return result;
}

HD_EXPORT uint64_t __hd_model_fgetc(uint64_t result, uint64_t file)
{
    return one(result, file, (const void *)__hd_model_fgetc);
}

HD_EXPORT uint64_t __hd_model_getc(uint64_t result, uint64_t file)
{
    return one(result, file, (const void *)__hd_model_getc);
}

HD_EXPORT uint64_t __hd_model_getchar(uint64_t result)
{
    return one(result, (uint64_t)stdin, (const void *)__hd_model_getchar);
}

/* ---- scanf ---- */

HD_EXPORT uint64_t __hd_model_fscanf(uint64_t result, uint64_t file, uint64_t format, uint64_t a,
                                     uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    size_t start, end;
    struct hd_sym_stream *s = moved(file, &start, &end);
    uint64_t outs[6] = {a, b, c, d, e, f};
    if (s && start <= s->size) {
        s->pos = end;
        hd_rt_sym_past(end);
        hd_rt_sym_read_from(s, start);
        __hd_model_scan(result, (uint64_t)(s->bytes + start), format, outs);
    }
    return result;
}

HD_EXPORT uint64_t __hd_model_scanf(uint64_t result, uint64_t format, uint64_t a, uint64_t b,
                                    uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    return __hd_model_fscanf(result, (uint64_t)stdin, format, a, b, c, d, e, f);
}
