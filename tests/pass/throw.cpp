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

/* The token of a call's result is behind the call: not on the way of the exception. */
volatile int seen;
__attribute__((noinline)) static int gives(int way)
{
    out_1 = 1;
    if (way)
        throw 1;
    return a;
}

__attribute__((noinline)) static int jumped(int way)
{
    int x;
    try {
        x = gives(way);
        out_1 = 2;
    } catch (int) {
        goto inside;
    }
    for (;;) {
        if (!way)
            out_2 = x;
        x += 3;
        if (seen > 2)
            return way ? 0 : x;
    inside:
        seen = seen + 1;
    }
}

int main()
{
    int r = catches();
    std::vector<int> v;
    v.push_back(r);
    out_2 = v.back();
    out_1 = jumped(0) + jumped(1);
    return r - 5;
}
// LOG: branch . deep:[0-9]+ dep=0-
// LOG: write4 out_1
// LOG: branch . catches:[0-9]+ dep=0-
// LOG: write4 out_2 main:[0-9]+ addr=- val=
// LOG: ^([0-9]+) read4 a gives
// LOG: write4 out_2 jumped:[0-9]+ addr=- val=[0-9]+ = 0
// LOG: write4 out_2 jumped:[0-9]+ addr=- val=[0-9]+ = 3
