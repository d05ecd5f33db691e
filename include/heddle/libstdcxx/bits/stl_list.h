/* Found before libstdc++'s file of this name by what `heddle c++` compiles.
 *
 * std::list links its nodes by functions of libstdc++'s library, which is not instrumented (see
 * stl_tree.h beside this file). These are the same functions, to be compiled with the program. A
 * list is a ring; a node of the list object itself is before the first and behind the last one. */
#pragma GCC system_header
#include_next <bits/stl_list.h>
#if !defined HEDDLE_STL_LIST && defined __GLIBCXX__
#define HEDDLE_STL_LIST 1

namespace std
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

namespace __detail
{
/* Makes __b follow __a. */
inline void __heddle_join(_List_node_base *__a, _List_node_base *__b)
{
    __a->_M_next = __b;
    __b->_M_prev = __a;
}

/* The nodes of the ring from __first to __last get the new head __to; an empty ring, whose head
 * is its only node, leaves __to alone. */
inline void __heddle_adopt(_List_node_base *__to, _List_node_base *__head, _List_node_base *__first,
                           _List_node_base *__last)
{
    if (__first == __head) {
        __heddle_join(__to, __to);
    } else {
        __heddle_join(__to, __first);
        __heddle_join(__last, __to);
    }
}

inline void _List_node_base::swap(_List_node_base &__x, _List_node_base &__y) _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base *__first = __x._M_next, *__last = __x._M_prev;
    __heddle_adopt(&__x, &__y, __y._M_next, __y._M_prev);
    __heddle_adopt(&__y, &__x, __first, __last);
}

inline void _List_node_base::_M_transfer(_List_node_base *const __first,
                                         _List_node_base *const __last) _GLIBCXX_USE_NOEXCEPT
{
    if (this == __last)
        return;
    _List_node_base *__before = _M_prev, *__tail = __last->_M_prev;
    __heddle_join(__first->_M_prev, __last);
    __heddle_join(__before, __first);
    __heddle_join(__tail, this);
}

inline void _List_node_base::_M_reverse() _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base *__n = this;
    do {
        _List_node_base *__next = __n->_M_next;
        __n->_M_next = __n->_M_prev;
        __n->_M_prev = __next;
        __n = __next;
    } while (__n != this);
}

inline void _List_node_base::_M_hook(_List_node_base *const __position) _GLIBCXX_USE_NOEXCEPT
{
    __heddle_join(__position->_M_prev, this);
    __heddle_join(this, __position);
}

inline void _List_node_base::_M_unhook() _GLIBCXX_USE_NOEXCEPT
{
    __heddle_join(_M_prev, _M_next);
}
} // namespace __detail

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
