/* Functions of libc by what the search over inputs knows of them. */
#ifndef HD_PASS_CONCOLIC_SYM_NAMES_H
#define HD_PASS_CONCOLIC_SYM_NAMES_H

#include <stdbool.h>

bool hd_sym_is_modelled(const char *name); /* a model runs when its arguments are symbolic */
bool hd_sym_is_input(const char *name);    /* a model runs after every call */
bool hd_sym_is_failing(const char *name);  /* with a model, and its failure may be input */
bool hd_sym_is_pair(const char *name);     /* with a model for each of its two results */
bool hd_sym_is_output(const char *name);   /* what it changes, no later code looks at */
bool hd_sym_is_harmless(const char *name); /* computes nothing from memory that it is given */

#endif
