/* The checks of `heddle doctor`. Each prints one line: what was looked at, how it is (ok, note or
 * FAIL), what was found, and what to do about it. A note is about something that only some commands
 * need. They answer whether nothing failed. */
#ifndef HD_CLI_DOCTOR_H
#define HD_CLI_DOCTOR_H

#include "base/names.h"

#include <stdbool.h>

enum hd_doctor_state { HD_DOCTOR_OK, HD_DOCTOR_NOTE, HD_DOCTOR_FAIL };

/* advice is printed unless all is well. */
bool hd_doctor_line(const char *what, enum hd_doctor_state state, const char *found,
                    const char *advice);

bool hd_doctor_tools(void);  /* compiler, plugin, runtime, OpenMP, solver */
bool hd_doctor_system(void); /* kernel, addresses, mapped files, ptrace, disk, core files */
/* What our OpenMP library defines; nothing when it is not there. */
void hd_doctor_openmp(const char *lib_dir, struct hd_names *names);

#endif
