// A and B run in two threads without a lock.
#include <string>
#include <thread>
static std::string s = START;
static std::string other = "another text that is rather long";
static volatile size_t sink;
static void a()
{
    A;
}
static void b()
{
    B;
}
int main()
{
    std::thread x(a), y(b);
    x.join();
    y.join();
    return sink == 12345;
}
