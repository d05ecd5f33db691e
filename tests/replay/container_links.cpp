// The functions of include/heddle/libstdcxx against vectors: random inserts and erases keep trees
// ordered and balanced, random changes keep lists in order, in both directions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <set>
#include <vector>

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            std::printf("seed %d: %s\n", seed, #what);                                             \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

typedef std::_Rb_tree_node_base node;
static int seed;

static bool red(const node *n)
{
    return n && n->_M_color == std::_S_red;
}

// How many black nodes each way down has.
static int height(const node *n)
{
    if (!n)
        return 1;
    CHECK(!red(n) || (!red(n->_M_left) && !red(n->_M_right)));
    CHECK(!n->_M_left || n->_M_left->_M_parent == n);
    CHECK(!n->_M_right || n->_M_right->_M_parent == n);
    int left = height(n->_M_left);
    CHECK(left == height(n->_M_right));
    return left + !red(n);
}

template <class C> static void same(const C &c, const std::vector<int> &v)
{
    CHECK(c.size() == v.size());
    CHECK(std::equal(v.begin(), v.end(), c.begin()));
    CHECK(std::equal(v.rbegin(), v.rend(), c.rbegin()));
}

static void trees()
{
    std::set<int> tree;
    std::vector<int> model;
    for (int i = 0; i < 300; i++) {
        int key = std::rand() % 100;
        auto at = std::lower_bound(model.begin(), model.end(), key);
        bool has = at != model.end() && *at == key;
        if (std::rand() % 5 < 3) {
            CHECK(tree.insert(key).second == !has);
            if (!has)
                model.insert(at, key);
        } else {
            CHECK(tree.erase(key) == has);
            if (has)
                model.erase(at);
        }
        same(tree, model);
        const node *header = tree.end()._M_node;
        CHECK(red(header) && !red(header->_M_parent));
        height(header->_M_parent);
    }
}

static void change(std::list<int> &a, std::list<int> &b, std::vector<int> &va, std::vector<int> &vb)
{
    int value = std::rand() % 50;
    size_t k = va.empty() ? 0 : std::rand() % va.size();
    switch (std::rand() % 8) {
    case 0:
    case 1:
        a.push_back(value);
        va.push_back(value);
        break;
    case 2:
        b.push_front(value);
        vb.insert(vb.begin(), value);
        break;
    case 3:
        a.swap(b);
        va.swap(vb);
        break;
    case 4:
        a.reverse();
        std::reverse(va.begin(), va.end());
        break;
    case 5:
        a.splice(std::next(a.begin(), k), b);
        va.insert(va.begin() + k, vb.begin(), vb.end());
        vb.clear();
        break;
    case 6:
        if (k) {
            a.splice(a.begin(), a, std::next(a.begin(), k), a.end());
            std::rotate(va.begin(), va.begin() + k, va.end());
        }
        break;
    case 7:
        if (!a.empty()) {
            a.erase(std::next(a.begin(), k));
            va.erase(va.begin() + k);
        }
        break;
    }
}

int main()
{
    for (seed = 0; seed < 200; seed++) {
        std::srand(seed);
        trees();
        std::list<int> a, b;
        std::vector<int> va, vb;
        for (int i = 0; i < 60; i++) {
            change(a, b, va, vb);
            same(a, va);
            same(b, vb);
        }
    }
    return 0;
}
