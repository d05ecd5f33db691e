#include "base/progress.h"

#include <inttypes.h>
#include <time.h>

static const double live_delay = 0.5, live_step = 0.1, plain_step = 5.0;

double hd_progress_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

void hd_progress_begin(struct hd_progress *p, FILE *out, bool live, const char *label,
                       const char *unit, uint64_t total)
{
    *p = (struct hd_progress){
        .out = out, .live = live, .label = label, .unit = unit, .total = total};
    p->started = hd_progress_now();
    p->next = p->started + (live ? live_delay : plain_step);
}

static int percent_of(const struct hd_progress *p, uint64_t done)
{
    int percent = (int)((double)done * 100.0 / (double)p->total);
    return percent > p->least ? percent : p->least;
}

void hd_progress_format(const struct hd_progress *p, uint64_t done, double elapsed, char *text,
                        size_t size)
{
    double rate = elapsed > 0 ? (double)done / elapsed : 0;
    char left[48] = "", share[32] = "";
    if (p->total && done <= p->total) {
        snprintf(share, sizeof share, " (%d%%)", percent_of(p, done));
        if (rate > 0)
            snprintf(left, sizeof left, ", %.0f s left", (double)(p->total - done) / rate);
    }
    snprintf(text, size, "heddle: %s: %" PRIu64 " %s%s, %.0f/s%s%s%s", p->label, done, p->unit,
             share, rate, left, p->hint ? "; " : "", p->hint ? p->hint : "");
}

void hd_progress_update(struct hd_progress *p, uint64_t done)
{
    if (!p->out)
        return;
    double now = hd_progress_now();
    if (now < p->next)
        return;
    char text[160];
    p->most = done = done > p->most ? done : p->most;
    if (p->total && done <= p->total)
        p->least = percent_of(p, done);
    hd_progress_format(p, done, now - p->started, text, sizeof text);
    if (p->live)
        fprintf(p->out, "\r\033[K%.79s", text);
    else
        fprintf(p->out, "%s\n", text);
    fflush(p->out);
    p->shown = true;
    p->next = now + (p->live ? live_step : plain_step);
}

void hd_progress_end(struct hd_progress *p)
{
    if (p->out && p->live && p->shown)
        fprintf(p->out, "\r\033[K");
    p->shown = false;
}
