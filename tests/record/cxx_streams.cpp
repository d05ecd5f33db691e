// iostreams from two threads, each line under a lock.
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

static std::mutex lock;
static int lines;

static void say(int n)
{
    std::ostringstream s;
    s << "line " << n;
    std::lock_guard l(lock);
    lines++;
    std::cout << s.str().size() << '\n';
}

int main()
{
    std::thread t(say, 1), u(say, 2);
    t.join();
    u.join();
    std::cout << lines << std::endl;
    return 0;
}
