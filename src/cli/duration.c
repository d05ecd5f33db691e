#include "cli/duration.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool hd_duration_parse(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
    char *end;
    if (!isdigit((unsigned char)*text) && *text != '.')
        return false;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end != text && isfinite(number) && !strcmp(end, units[i].unit)) {
            *seconds = number * units[i].seconds;
            return true;
        }
    return false;
}

uint32_t hd_duration_seconds(double seconds)
{
    return seconds < UINT32_MAX ? (uint32_t)ceil(seconds) : UINT32_MAX;
}

bool hd_duration_limit(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *option,
                       const char *text, double *seconds)
{
    if (!strcmp(text, "none"))
        *seconds = 0;
    else if (!hd_duration_parse(text, seconds) || *seconds == 0) {
        hd_cli_usage(cli, cmd, "%s wants a time like 10s or 5m, or none, not '%s'", option, text);
        return false;
    }
    return true;
}

bool hd_duration_budget(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *text,
                        double *seconds)
{
    *seconds = HD_CLI_BUDGET;
    if (text && !strcmp(text, "none"))
        *seconds = 0;
    else if (text && !hd_duration_parse(text, seconds)) {
        hd_cli_usage(cli, cmd, "--budget wants a time like 10s or 5m, or none, not '%s'", text);
        return false;
    } else if (*seconds == 0)
        *seconds = -1;
    return true;
}
