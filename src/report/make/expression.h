/* What the source calls the memory of an access, read from the line of the access. A guess by text,
 * for memory whose name the debug information does not give: elements of vectors, objects behind
 * smart pointers. Never part of an id. */
#ifndef HD_REPORT_MAKE_EXPRESSION_H
#define HD_REPORT_MAKE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_EXPRESSION_SIZE 64

/* The expression at a column (from 1) of a line: that before an assignment or ++ which stands
 * there, else the name which stands there with what it is a member or element of. Puts
 * "jobs[i].len" or "p->next" into out. False: there is none that shows more than a plain name does.
 */
bool hd_expression_at(const char *line, uint32_t column, char out[HD_EXPRESSION_SIZE]);

#endif
