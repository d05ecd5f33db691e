/* What the terminal can show: colour or not, decided once for each stream.
 *
 * The rules, first match wins:
 *   1. --color=always or --color=never;
 *   2. NO_COLOR set and not empty: no colour;
 *   3. CLICOLOR_FORCE set, not empty and not "0": colour;
 *   4. colour if the stream is a terminal and TERM is set and not "dumb".
 */
#ifndef HD_BASE_TERM_H
#define HD_BASE_TERM_H

#include <stdbool.h>

enum hd_color { HD_COLOR_AUTO, HD_COLOR_ALWAYS, HD_COLOR_NEVER };

enum hd_style { HD_STYLE_PLAIN, HD_STYLE_BOLD, HD_STYLE_DIM, HD_STYLE_RED, HD_STYLE_GREEN };

bool hd_term_use_color(enum hd_color mode, int fd);

/* Colour is asked for, a terminal that moves its cursor is needed for a line that rewrites itself.
 */
bool hd_term_is_live(int fd); /* a terminal, and TERM is set and not "dumb" */

/* The escape sequence that starts a style, or "" when colour is off. PLAIN ends any other. */
const char *hd_term_style(bool color, enum hd_style style);

#endif
