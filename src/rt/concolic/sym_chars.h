/* Characters for the models, as in the C locale. A class of characters is one choice of a path, not
 * many: that is why the compiler must not see through these and make a switch of them. */
#ifndef HD_RT_CONCOLIC_SYM_CHARS_H
#define HD_RT_CONCOLIC_SYM_CHARS_H

#include <stdbool.h>
#include <stdint.h>

#define HD_RT_ONE static __attribute__((noinline, unused))

HD_RT_ONE bool hd_rt_is_digit(int c)
{
    return (unsigned)c - '0' < 10;
}

HD_RT_ONE bool hd_rt_is_alpha(int c)
{
    return ((unsigned)c | 32u) - 'a' < 26;
}

HD_RT_ONE bool hd_rt_is_space(int c)
{
    return (c == ' ') | ((unsigned)c - '\t' < 5);
}

HD_RT_ONE bool hd_rt_is_sign(int c)
{
    return (c == '-') | (c == '+');
}

HD_RT_ONE int hd_rt_low(int c)
{
    return (int)((unsigned)c + ((unsigned)c - 'A' < 26) * 32u);
}

/* 99: not a digit in any base. */
HD_RT_ONE int hd_rt_digit_of(int c)
{
    unsigned d = (unsigned)c - '0', a = ((unsigned)c | 32u) - 'a';
    return (int)(d < 10 ? d : a < 26 ? a + 10 : 99);
}

#endif
