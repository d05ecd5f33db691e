// Exceptions: the stack of functions is right after a catch, and the catch counts as a choice.
#include <stdexcept>
#include <vector>

volatile int a, out_1, out_2;

struct guard {
    ~guard()
    {
        out_1 = 9;
    }
};

__attribute__((noinline)) static void deep(int n)
{
    guard g;
    if (n == a)
        throw std::runtime_error("deep");
    deep(n - 1);
    out_2 = n;
}

__attribute__((noinline)) static int catches()
{
    try {
        deep(2);
    } catch (const std::exception &) {
        return 5;
    }
    return 6;
}

int main()
{
    int r = catches();
    std::vector<int> v;
    v.push_back(r);
    out_2 = v.back();
    return r - 5;
}
// LOG: enter . catches:[0-9]+ depth=1
// LOG: enter . deep:[0-9]+ depth=4
// LOG: unwound depth=5
// LOG: branch . deep:[0-9]+ dep=0-
// LOG: write4 out_1
// LOG: unwound depth=4
// LOG: unwound depth=3
// LOG: unwound depth=2
// LOG: branch . catches:[0-9]+ dep=0-
// LOG: leave depth=1
// LOG: write4 out_2 main:[0-9]+ addr=- val=
// LOG: leave depth=0
