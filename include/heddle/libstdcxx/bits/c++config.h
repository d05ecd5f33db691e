/* Found before libstdc++'s file of this name by what `heddle c++` compiles.
 *
 * Up to C++17 the headers of libstdc++ take std::string's members from its library, which is not
 * instrumented: what they access was seen by no thread, and a race on a string was missed. With -1,
 * a value of libstdc++'s own, strings and nothing else are compiled with the program, as they are
 * from C++20 on. The layout is the same, so that strings of both kinds mix. */
#pragma GCC system_header
#include_next <bits/c++config.h>
#if defined _GLIBCXX_EXTERN_TEMPLATE && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
