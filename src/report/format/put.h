/* A key with its value in one call, for the formats that are JSON. */
#ifndef HD_REPORT_FORMAT_PUT_H
#define HD_REPORT_FORMAT_PUT_H

#include "base/json.h"

static inline void hd_put_text(struct hd_json *j, const char *key, const char *text)
{
    hd_json_key(j, key);
    hd_json_string(j, text);
}

static inline void hd_put_uint(struct hd_json *j, const char *key, uint64_t value)
{
    hd_json_key(j, key);
    hd_json_uint(j, value);
}

static inline void hd_put_bool(struct hd_json *j, const char *key, bool value)
{
    hd_json_key(j, key);
    hd_json_bool(j, value);
}

static inline void hd_put_object(struct hd_json *j, const char *key)
{
    hd_json_key(j, key);
    hd_json_begin_object(j);
}

static inline void hd_put_array(struct hd_json *j, const char *key)
{
    hd_json_key(j, key);
    hd_json_begin_array(j);
}

#endif
