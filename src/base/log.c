#include "base/log.h"

#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

static const char *const room_names[HD_ROOM_COUNT] = {
#define HD_ROOM_NAME(name, text) [HD_ROOM_##name] = text,
    HD_ROOMS(HD_ROOM_NAME)
#undef HD_ROOM_NAME
};
static const char *const level_names[] = {"off", "warn", "info", "debug"};

static enum hd_log_level levels[HD_ROOM_COUNT];
static hd_log_sink current_sink;

void hd_log_set_sink(hd_log_sink sink)
{
    current_sink = sink;
}

const char *hd_log_room_name(enum hd_room room)
{
    return room_names[room];
}

static int find(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(word, list[i]))
            return (int)i;
    return -1;
}

static enum hd_status unknown(struct hd_err *err, const char *what, const char *word,
                              const char *const *list, size_t n)
{
    const char *near = hd_suggest(word, list, n);
    return hd_err_set(err, HD_ERR_INPUT, "unknown log %s '%s'%s%s%s", what, word,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static enum hd_status configure_one(char *entry, struct hd_err *err)
{
    char *colon = strchr(entry, ':');
    const char *level_text = colon ? colon + 1 : entry;
    int level = find(level_text, level_names, sizeof level_names / sizeof *level_names);
    if (level < 0)
        return unknown(err, "level", level_text, level_names,
                       sizeof level_names / sizeof *level_names);
    if (colon)
        *colon = '\0';
    bool all = !colon || !strcmp(entry, "all");
    int room = all ? 0 : find(entry, room_names, HD_ROOM_COUNT);
    if (room < 0)
        return unknown(err, "room", entry, room_names, HD_ROOM_COUNT);
    for (int i = all ? 0 : room; i < (all ? HD_ROOM_COUNT : room + 1); i++)
        levels[i] = (enum hd_log_level)level;
    return HD_OK;
}

enum hd_status hd_log_configure(const char *spec, struct hd_err *err)
{
    enum hd_status status = HD_OK;
    while (*spec && status == HD_OK) {
        size_t len = strcspn(spec, ",");
        char entry[64];
        snprintf(entry, sizeof entry, "%.*s", (int)len, spec);
        if (len)
            status = configure_one(entry, err);
        spec += len + (spec[len] == ',');
    }
    return status;
}

bool hd_log_on(enum hd_room room, enum hd_log_level level)
{
    return current_sink && level != HD_LOG_OFF && level <= levels[room];
}

void hd_log(enum hd_room room, enum hd_log_level level, const char *fmt, ...)
{
    if (!hd_log_on(room, level))
        return;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    current_sink(room, level, text);
}
