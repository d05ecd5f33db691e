/* Stacks of a program that ran again: from code addresses to functions and lines, without the
 * frames of the runtime and of what starts threads and programs.
 */
#ifndef HD_REPLAY_CODE_FRAMES_H
#define HD_REPLAY_CODE_FRAMES_H

#include "base/vec.h"
#include "replay/replay.h"
#include "symbols/symbols.h"

/* Symbols of all modules (struct hd_origin_module, with bias). hd_symbols_free. */
struct hd_symbols *hd_code_frames_symbols(const struct hd_vec *modules);

/* Is the code at pc of the runtime or of our OpenMP? */
bool hd_code_frames_is_ours(const struct hd_vec *modules, uint64_t pc);

/* data: n code addresses of 8 bytes, innermost first, as they stand in the log. crash: a signal
 * handler took them. *stack is the caller's, to be ended with hd_code_frames_fini. */
void hd_code_frames_fill(struct hd_symbols *symbols, const struct hd_vec *modules,
                         const uint8_t *data, size_t n, bool crash, struct hd_replay_stack *stack);
void hd_code_frames_fini(struct hd_replay_stack *stack);

#endif
