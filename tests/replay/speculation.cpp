/* Loops that may pass an access by: `x` is accessed by the first thread only, and the compiler must
 * not let the second one read it before its loop, as LLVM does when it keeps x in a register. With
 * -DRACY the second one comes to it. */
#include <pthread.h>

#ifdef RACY
enum { FIRST = 0, SECOND = 2 };
#else
enum { FIRST = 0, SECOND = 10 };
#endif

struct sums {
    int before, total;
    void add(int from);
};

static int global, array[4];
static sums object, *where = &object;

#if KIND == 0 /* a global */
static void work(int from)
{
    for (int i = from; i < from + 4; i++)
        if (i == 1 || i == 3)
            global += i + 1;
}
#elif KIND == 1 /* a field, through this */
void sums::add(int from)
{
    for (int i = from; i < from + 4; i++)
        if (i == 1 || i == 3)
            total += i + 1;
}
static void work(int from)
{
    object.add(from);
}
#elif KIND == 2 /* after a way out */
static void work(int from)
{
    for (int i = from; i < from + 4; i++) {
        if (i > 3)
            break;
        global += i + 1;
    }
}
#elif KIND == 3 /* a reference that a closure has */
static void work(int from)
{
    auto add = [&x = array[2]](int begin) {
        for (int i = begin; i < begin + 4; i++)
            if (i == 1 || i == 3)
                x += i + 1;
    };
    add(from);
}
#elif KIND == 4 /* in a function that is inlined, behind a pointer, in a loop in a loop */
static inline void add(sums *s, int i)
{
    if (i == 1 || i == 3)
        s->total += i + 1;
}
static void work(int from)
{
    for (int k = 0; k < 2; k++)
        for (int i = from; i < from + 4; i++)
            add(where, i);
}
#endif

static void *run(void *arg)
{
    work(*(int *)arg);
    return nullptr;
}

int main()
{
    pthread_t t, u;
    static int first = FIRST, second = SECOND;
    pthread_create(&t, nullptr, run, &first);
    pthread_create(&u, nullptr, run, &second);
    pthread_join(t, nullptr);
    pthread_join(u, nullptr);
    return global + array[2] + object.total < 1;
}
