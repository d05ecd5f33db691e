/* The tables that say what the sites of a module are called (HD_LOG_SITES). A program of many files
 * has megabytes of them and runs through few, so each is logged before the first record that names
 * one of its sites (hd_rt_log_site of rt_writer.h). Token held. */
#ifndef HD_RT_CORE_SITE_TABLES_H
#define HD_RT_CORE_SITE_TABLES_H

#include "abi/rt_abi.h"

void hd_rt_site_tables_add(const struct hd_module *m);

#endif
