/* Chrome trace JSON, read by Perfetto, chrome://tracing and trace processors.
 *
 * Each finding gives two processes, the recorded order and the witness, with a row for each thread.
 * An event is a slice of 800 units, the n-th one starting at 1000 n: positions, not times. Arrows
 * are the synchronisation between threads, held locks are asynchronous slices (they need not nest),
 * and a counter for each lock shows how many hold it.
 */
#ifndef HD_REPORT_FORMAT_PERFETTO_H
#define HD_REPORT_FORMAT_PERFETTO_H

#include "report/data/report.h"

#include <stdio.h>

/* One object with a final newline. Stream errors stay in the stream. */
void hd_perfetto_write(FILE *out, const struct hd_report *r);

#endif
