/* The folder of a campaign.
 *
 *   plan.jsonl            the units
 *   units/ab/NAME/        what unit NAME (ab...) gave: report.json, witnesses, traces with findings
 *   units/ab/NAME.failed  why it gave nothing, as JSON; NAME.log: what it wrote
 *   work/HOST-PID-N/      a unit that runs; renamed to units/ab/NAME when it is whole
 *   report.json, ...      the merged report; times.json: what differs from run to run
 *   slurm/                job scripts and their logs
 *
 * Everything appears by one rename, so workers on any number of machines need no lock: the first
 * that finishes a unit wins, and a second result of the same unit is dropped.
 */
#ifndef HD_CAMPAIGN_FOLDER_H
#define HD_CAMPAIGN_FOLDER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum hd_unit_state { HD_UNIT_OPEN, HD_UNIT_DONE, HD_UNIT_FAILED };

/* The path of a unit in the folder of a campaign, with this ending ("", ".failed", "/report.json").
 */
void hd_folder_unit(const char *dir, const char *name, const char *ending, char *path, size_t size);
enum hd_unit_state hd_folder_state(const char *dir, const char *name);

/* Makes the folders that are not there. */
enum hd_status hd_folder_make(const char *path, struct hd_err *err);
/* Removes a file or folder with all that is in it; what is gone already is fine. */
void hd_folder_remove(const char *path);

/* A new folder below work/, for slot n of this process. */
enum hd_status hd_folder_work(const char *dir, unsigned n, char *path, size_t size,
                              struct hd_err *err);
/* Removes what workers of this machine left in work/ that do not run any more; all: everything. */
void hd_folder_sweep(const char *dir, bool all);
/* How many units run, by the folders in work/. */
size_t hd_folder_running(const char *dir);

/* Moves the work of a unit to its place. What another worker has put there stays. */
enum hd_status hd_folder_keep(const char *work, const char *dir, const char *name,
                              struct hd_err *err);

#endif
