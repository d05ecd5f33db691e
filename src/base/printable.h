/* Texts that may be shown as they are.
 *
 * A terminal acts on control characters (C0, DEL and C1, also a C1 byte outside of UTF-8), and the
 * characters that change the direction of writing make a line read as something else. Names in a
 * trace hold none of them: what comes from programs is made printable, what comes from files is
 * refused. A tab counts as printable.
 */
#ifndef HD_BASE_PRINTABLE_H
#define HD_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_UTF8_BAD = 0xfffd };

/* The character at *p, which is before a zero byte and is moved behind the character; HD_UTF8_BAD
 * and one byte when it is not UTF-8. */
uint32_t hd_printable_next(const unsigned char **p);
bool hd_printable_turns_direction(uint32_t c);
bool hd_printable_is_control(uint32_t c); /* line and paragraph separators too */

bool hd_printable_ok(const char *text, size_t len);
void hd_printable_make(char *text); /* each byte that must not be shown becomes '_' */

#endif
