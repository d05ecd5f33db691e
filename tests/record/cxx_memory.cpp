// new and delete, containers, shared pointers whose last owner frees.
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct node {
    int value = 0;
    ~node()
    {
        value = -1;
    }
};

int main()
{
    auto shared = std::make_shared<node>();
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([copy = shared] { (void)copy->value; });
    shared.reset();
    for (auto &t : threads)
        t.join();
    std::vector<int> v;
    for (int i = 0; i < 20; i++)
        v.push_back(i);
    std::string s = "a string that is too long for the small buffer";
    s += std::to_string(v.back());
    std::unique_ptr<int[]> array(new int[4]{1, 2, 3, 4});
    std::printf("%s %d\n", s.c_str(), array[3]);
    return 0;
}
