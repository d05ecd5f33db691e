/* Every command, by name; each is defined in its cmd_<name>.c. */
#ifndef HD_CLI_CMDS_H
#define HD_CLI_CMDS_H

#include "cli/cli.h"

extern const struct hd_cmd hd_cmd_analyze;
extern const struct hd_cmd hd_cmd_annotate;
extern const struct hd_cmd hd_cmd_campaign;
extern const struct hd_cmd hd_cmd_campaign_report;
extern const struct hd_cmd hd_cmd_campaign_resume;
extern const struct hd_cmd hd_cmd_campaign_status;
extern const struct hd_cmd hd_cmd_campaign_work;
extern const struct hd_cmd hd_cmd_clean;
extern const struct hd_cmd hd_cmd_compare;
extern const struct hd_cmd hd_cmd_doctor;
extern const struct hd_cmd hd_cmd_explore;
extern const struct hd_cmd hd_cmd_hunt;
extern const struct hd_cmd hd_cmd_merge;
extern const struct hd_cmd hd_cmd_record;
extern const struct hd_cmd hd_cmd_replay;
extern const struct hd_cmd hd_cmd_report;
extern const struct hd_cmd hd_cmd_run;
extern const struct hd_cmd hd_cmd_show;
extern const struct hd_cmd hd_cmd_trace;
extern const struct hd_cmd hd_cmd_trace_cat;
extern const struct hd_cmd hd_cmd_trace_check;
extern const struct hd_cmd hd_cmd_trace_convert;
extern const struct hd_cmd hd_cmd_trace_reduce;
extern const struct hd_cmd hd_cmd_trace_enumerate;
extern const struct hd_cmd hd_cmd_trace_gen;
extern const struct hd_cmd hd_cmd_trace_stats;
extern const struct hd_cmd hd_cmd_tutorial;
extern const struct hd_cmd hd_cmd_witness;
extern const struct hd_cmd hd_cmd_witness_check;
extern const struct hd_cmd hd_cmd_cc;
extern const struct hd_cmd hd_cmd_cxx;
extern const struct hd_cmd hd_cmd_completion;
extern const struct hd_cmd hd_cmd_help;

#endif
