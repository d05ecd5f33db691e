/* What heddle hunt prints about a search: for people, as JSON, and as the file `info`. */
#ifndef HD_CLI_HUNT_SHOW_H
#define HD_CLI_HUNT_SHOW_H

#include "cli/cli.h"
#include "session/hunt_session.h"
#include "concolic/input_search.h"

struct hd_hunt_shown {
    enum hd_found_kind kind;
    uint32_t test;
    char *text, *input, *witness; /* witness may be NULL */
    struct hd_hunt_taken taken;
};

struct hd_vec hd_hunt_show_list(void); /* of struct hd_hunt_shown */
void hd_hunt_show_remember(struct hd_vec *list, const struct hd_found *f,
                           const struct hd_hunt_taken *taken);
/* A few lines for one finding, as it comes up. */
void hd_hunt_show_found(const struct hd_cli *cli, const struct hd_found *f,
                        const struct hd_hunt_taken *taken);
void hd_hunt_show_list_fini(struct hd_vec *list);

void hd_hunt_show_text(const struct hd_cli *cli, const struct hd_hunt_options *o,
                       const struct hd_hunt_stats *s);
void hd_hunt_show_json(FILE *out, const struct hd_hunt_options *o, const struct hd_hunt_stats *s,
                       const struct hd_vec *found);
/* Writes DIR/info; a failure is left to the next thing that is written there. */
void hd_hunt_show_info(const struct hd_hunt_options *o, const struct hd_hunt_stats *s);

#endif
