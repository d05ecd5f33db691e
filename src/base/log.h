/* A log for people who work on Heddle, off unless asked for: HD_LOG=predict:debug,solve:info
 *
 * Each room has a level of its own; "all" names every room. The engine rooms do not print: a line
 * goes to the sink that the command line has set (stderr), and nowhere when there is none.
 * Configure once before threads start; hd_log may then be called from any thread.
 */
#ifndef HD_BASE_LOG_H
#define HD_BASE_LOG_H

#include "base/err.h"

#include <stdbool.h>

#define HD_ROOMS(X)                                                                                \
    X(BASE, "base")                                                                                \
    X(SYMBOLS, "symbols")                                                                          \
    X(TRACE, "trace")                                                                              \
    X(SOLVE, "solve")                                                                              \
    X(MODEL, "model")                                                                              \
    X(DETECT, "detect")                                                                            \
    X(PREDICT, "predict")                                                                          \
    X(RECORDING, "recording")                                                                      \
    X(BUILD, "build")                                                                              \
    X(RECORD, "record")                                                                            \
    X(REPLAY, "replay")                                                                            \
    X(CONCOLIC, "concolic")                                                                        \
    X(EXPLORE, "explore")                                                                          \
    X(REPORT, "report")                                                                            \
    X(SESSION, "session")                                                                          \
    X(CAMPAIGN, "campaign")                                                                        \
    X(CLI, "cli")

enum hd_room {
#define HD_ROOM_ENUM(name, text) HD_ROOM_##name,
    HD_ROOMS(HD_ROOM_ENUM)
#undef HD_ROOM_ENUM
        HD_ROOM_COUNT
};

enum hd_log_level { HD_LOG_OFF, HD_LOG_WARN, HD_LOG_INFO, HD_LOG_DEBUG };

typedef void (*hd_log_sink)(enum hd_room room, enum hd_log_level level, const char *text);

void hd_log_set_sink(hd_log_sink sink);

/* Reads "room:level,room:level"; a bare "level" is short for "all:level". Later entries win.
 * HD_ERR_INPUT names the first entry that is not understood; those before it stay in force. */
enum hd_status hd_log_configure(const char *spec, struct hd_err *err);

bool hd_log_on(enum hd_room room, enum hd_log_level level);
const char *hd_log_room_name(enum hd_room room);

/* One line without newline; dropped unless hd_log_on. */
void hd_log(enum hd_room room, enum hd_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A line that says why: HD_DEBUG_LINE(REPLAY, "schedule of %zu entries", n). Arguments are not
 * evaluated unless the room's level is debug. */
#define HD_DEBUG_LINE(room, ...)                                                                   \
    do {                                                                                           \
        if (hd_log_on(HD_ROOM_##room, HD_LOG_DEBUG))                                               \
            hd_log(HD_ROOM_##room, HD_LOG_DEBUG, __VA_ARGS__);                                     \
    } while (0)

#endif
