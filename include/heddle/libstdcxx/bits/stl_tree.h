/* Found before libstdc++'s file of this name by what `heddle c++` compiles.
 *
 * std::map and std::set link, balance and walk their nodes by functions of libstdc++'s library,
 * which is not instrumented: no thread was seen to access the nodes, so that a race on a map was
 * missed, or could not be replayed. These are the same functions, to be compiled with the program.
 * They keep the rules of red-black trees that the library keeps, so that code of both kinds may
 * work on one tree: the header's parent is the root, its left and right the first and the last
 * node; the header is red and the root black; no red node has a red child; all ways from a node to
 * a missing child have the same number of black nodes. */
#pragma GCC system_header
#include_next <bits/stl_tree.h>
#if !defined HEDDLE_STL_TREE && defined __GLIBCXX__
#define HEDDLE_STL_TREE 1

namespace std
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

namespace __heddle_tree
{
typedef _Rb_tree_node_base __node;

/* The child on one side. Balancing is the same on both, with left and right exchanged. */
inline __node *&__child(__node *__n, bool __left)
{
    return __left ? __n->_M_left : __n->_M_right;
}

inline bool __is_red(const __node *__n)
{
    return __n && __n->_M_color == _S_red;
}

/* The last node on the way from __n to one side. */
inline __node *__outermost(__node *__n, bool __left)
{
    while (__node *__next = __child(__n, __left))
        __n = __next;
    return __n;
}

/* The neighbour of __n in the order of the tree: the last node of the subtree on the one side,
 * or the nearest ancestor that has __n on the other. The header is behind the last node, since
 * the header's child there is that node; where this is the root, the way up passes the header
 * once. */
inline __node *__neighbour(__node *__n, bool __before)
{
    if (__node *__sub = __child(__n, __before))
        return __outermost(__sub, !__before);
    __node *__up = __n->_M_parent;
    while (__n == __child(__up, __before)) {
        __n = __up;
        __up = __up->_M_parent;
    }
    return __child(__n, __before) == __up ? __n : __up;
}

/* Puts __with, which may be missing, where __n is. The root is where the header's parent says.
 */
inline void __replace(__node *__n, __node *__with, __node &__header)
{
    __node *__up = __n->_M_parent;
    if (__header._M_parent == __n)
        __header._M_parent = __with;
    else
        __child(__up, __up->_M_left == __n) = __with;
    if (__with)
        __with->_M_parent = __up;
}

/* Turns __n down to one side; its child on the other side takes its place. */
inline void __rotate(__node *__n, bool __left, __node &__header)
{
    __node *__rises = __child(__n, !__left);
    __node *__moves = __child(__rises, __left);
    __replace(__n, __rises, __header);
    __child(__n, !__left) = __moves;
    if (__moves)
        __moves->_M_parent = __n;
    __child(__rises, __left) = __n;
    __n->_M_parent = __rises;
}

/* __n is red; its parent may be. Each turn moves that upwards by two, or ends it. */
inline void __inserted(__node *__n, __node &__header)
{
    while (__n != __header._M_parent && __n->_M_parent->_M_color == _S_red) {
        __node *__up = __n->_M_parent;
        __node *__top = __up->_M_parent;
        bool __left = __top->_M_left == __up;
        __node *__uncle = __child(__top, !__left);
        if (__is_red(__uncle)) {
            __up->_M_color = __uncle->_M_color = _S_black;
            __top->_M_color = _S_red;
            __n = __top;
            continue;
        }
        if (__child(__up, !__left) == __n) {
            __rotate(__up, __left, __header);
            __up = __n;
        }
        __up->_M_color = _S_black;
        __top->_M_color = _S_red;
        __rotate(__top, !__left, __header);
        break;
    }
    if (__header._M_parent->_M_color == _S_red)
        __header._M_parent->_M_color = _S_black;
}

/* The ways through __n (which may be missing) below __up lack a black node. A red __n becomes
 * black; otherwise a red node beside it gives one, or the lack moves upwards. */
inline void __removed(__node *__n, __node *__up, __node &__header)
{
    while (__n != __header._M_parent && !__is_red(__n)) {
        bool __left = __up->_M_left == __n;
        __node *__beside = __child(__up, !__left);
        if (__beside->_M_color == _S_red) {
            __beside->_M_color = _S_black;
            __up->_M_color = _S_red;
            __rotate(__up, __left, __header);
            __beside = __child(__up, !__left);
        }
        if (!__is_red(__beside->_M_left) && !__is_red(__beside->_M_right)) {
            __beside->_M_color = _S_red;
            __n = __up;
            __up = __up->_M_parent;
            continue;
        }
        if (!__is_red(__child(__beside, !__left))) {
            __child(__beside, __left)->_M_color = _S_black;
            __beside->_M_color = _S_red;
            __rotate(__beside, !__left, __header);
            __beside = __child(__up, !__left);
        }
        __beside->_M_color = __up->_M_color;
        __up->_M_color = _S_black;
        __child(__beside, !__left)->_M_color = _S_black;
        __rotate(__up, __left, __header);
        return;
    }
    if (__n)
        __n->_M_color = _S_black;
}

/* Takes out a node with two children: the next node, which has no left child, replaces it. */
inline void __erase_inner(__node *__n, __node &__header)
{
    __node *__next = __outermost(__n->_M_right, true);
    __node *__below = __next->_M_right;
    __node *__up = __next->_M_parent;
    _Rb_tree_color __lost = __next->_M_color;
    if (__up == __n) {
        __up = __next;
    } else {
        __replace(__next, __below, __header);
        __next->_M_right = __n->_M_right;
        __next->_M_right->_M_parent = __next;
    }
    __replace(__n, __next, __header);
    __next->_M_left = __n->_M_left;
    __next->_M_left->_M_parent = __next;
    __next->_M_color = __n->_M_color;
    if (__lost == _S_black)
        __removed(__below, __up, __header);
}

/* Takes out a node with one child or none, which may be the first or the last one. */
inline void __erase_outer(__node *__n, __node &__header)
{
    __node *__up = __n->_M_parent;
    __node *__below = __n->_M_left ? __n->_M_left : __n->_M_right;
    __replace(__n, __below, __header);
    if (__header._M_left == __n)
        __header._M_left = __below ? __outermost(__below, true) : __up;
    if (__header._M_right == __n)
        __header._M_right = __below ? __outermost(__below, false) : __up;
    if (__n->_M_color == _S_black)
        __removed(__below, __up, __header);
}
} // namespace __heddle_tree

inline _Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *__n) throw()
{
    return __heddle_tree::__neighbour(__n, false);
}

inline const _Rb_tree_node_base *_Rb_tree_increment(const _Rb_tree_node_base *__n) throw()
{
    return __heddle_tree::__neighbour(const_cast<_Rb_tree_node_base *>(__n), false);
}

inline _Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *__n) throw()
{
    /* The header's left is the first node, not the last one: it is known by its colour. */
    if (__n->_M_color == _S_red && __n->_M_parent->_M_parent == __n)
        return __n->_M_right;
    return __heddle_tree::__neighbour(__n, true);
}

inline const _Rb_tree_node_base *_Rb_tree_decrement(const _Rb_tree_node_base *__n) throw()
{
    return _Rb_tree_decrement(const_cast<_Rb_tree_node_base *>(__n));
}

inline void _Rb_tree_insert_and_rebalance(const bool __insert_left, _Rb_tree_node_base *__n,
                                          _Rb_tree_node_base *__up,
                                          _Rb_tree_node_base &__header) throw()
{
    __n->_M_parent = __up;
    __n->_M_left = __n->_M_right = 0;
    __n->_M_color = _S_red;
    if (__up == &__header)
        __header._M_parent = __header._M_left = __header._M_right = __n;
    else {
        __heddle_tree::__child(__up, __insert_left) = __n;
        if (__heddle_tree::__child(&__header, __insert_left) == __up)
            __heddle_tree::__child(&__header, __insert_left) = __n;
    }
    __heddle_tree::__inserted(__n, __header);
}

inline _Rb_tree_node_base *_Rb_tree_rebalance_for_erase(_Rb_tree_node_base *const __n,
                                                        _Rb_tree_node_base &__header) throw()
{
    if (__n->_M_left && __n->_M_right)
        __heddle_tree::__erase_inner(__n, __header);
    else
        __heddle_tree::__erase_outer(__n, __header);
    return __n;
}

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
