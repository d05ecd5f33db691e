#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
// Strings that threads share under a lock, or only read; what streams and exceptions of the library
// do with them.
static std::mutex m;
static const std::string shared_text = "a text that is longer than the local buffer";
static std::map<std::string, std::string> table;
static std::unordered_map<std::string, int> counts;
static std::string log_text;
static std::istringstream input("one line\ntwo longer line that needs the heap\nthree\nfour\n");
static std::string work(std::string name, int n)
{
    std::ostringstream out;
    out << name << ':' << n << shared_text.substr(2, 4) << std::hex << n;
    std::string s = out.str() + std::to_string(n) + shared_text;
    s.insert(3, "abc");
    s.erase(0, 1);
    s.replace(1, 2, "zz");
    s.append(3, 'q');
    s.push_back('.');
    s.resize(20);
    try {
        (void)s.at(1000);
    } catch (const std::out_of_range &e) {
        s += e.what();
    }
    try {
        throw std::runtime_error(s);
    } catch (const std::exception &e) {
        s = e.what();
    }
    std::string line;
    {
        std::lock_guard<std::mutex> g(m);
        std::getline(input, line);
        table[name + std::to_string(n)] = s;
        counts[line]++;
        log_text += line;
        log_text.append(s);
        std::cout << log_text.size() << '\n';
    }
    std::string moved = std::move(s);
    if (shared_text.find("local") == std::string::npos || shared_text == moved ||
        shared_text.empty())
        moved.clear();
    std::swap(line, moved);
    return line;
}
int main()
{
    std::vector<std::future<std::string>> f;
    auto p = std::make_shared<std::string>("pointed to by all");
    for (int i = 0; i < 3; i++)
        f.push_back(
            std::async(std::launch::async, [p, i] { return work(*p + "x", i) + p->c_str(); }));
    std::string all;
    for (auto &x : f)
        all += x.get();
    std::lock_guard<std::mutex> g(m);
    return all.size() + log_text.size() < 10;
}
