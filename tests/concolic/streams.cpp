// What a program does with two bytes that it reads by a stream of C++. With -DREFERENCE it does so
// for all texts of at most two bytes and writes each answer once; without, it reads from std::cin,
// or with -DSOURCE=1 without stdio, or with -DSOURCE=2 from a file. KIND is the way to read.
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

#ifdef REFERENCE
static std::string said;
#define PUT(c) said.push_back(c)
#else
#define PUT(c) std::putchar(c)
#endif

// One letter of the answer; a call, so that each is a choice of the path and no arithmetic.
__attribute__((noinline)) static void say(bool when, char c)
{
    if (when)
        PUT(c);
}

static void answer(std::istream &in)
{
    std::string word;
    char c = 0, text[8] = "";
#if KIND == 0 // numbers
    int n = -1;
    in >> n;
    say(n == 7, '7'), say(n == 42, 'n'), say(n < 0, '-'), say(n == 0, '0');
#elif KIND == 1  // a word and the rest of the line
    in >> word;
    say(word == "a", 'a'), say(word == "bc", 'b'), say(word.size() == 2, '2');
    std::getline(in, word);
    say(word == "x", 'x'), say(word.empty(), 'e');
#elif KIND == 2  // other bases, other sizes
    unsigned short v = 1;
    in >> std::hex >> v;
    say(v == 0xab, 'a'), say(v == 0xf, 'f'), say(v > 0xfff, '>'), say(v == 0, '0');
#elif KIND == 3  // characters
    in >> c;
    say(c == 'q', 'q');
    int next = in.peek(), got = in.get();
    say(next == 'z', 'z'), say(next < 0, 'e'), say(got == next, '=');
#elif KIND == 4  // bytes
    in.read(text, 2);
    say(text[0] == text[1], '='), say(text[0] > text[1], '>'), say(in.gcount() == 1, '1');
#elif KIND == 5  // lines in plain memory; leaving out
    in.ignore();
    in.getline(text, 8, ';');
    say(text[0] == 'k', 'k'), say(text[0] == 0, '0');
#elif KIND == 6  // spaces count; at most one character
    in >> std::noskipws >> std::setw(1) >> word >> std::skipws >> std::ws >> c;
    say(word == "u", 'u'), say(word.empty(), 'e'), say(c == 'v', 'v'), say(c == 0, '0');
#elif KIND == 7  // through a string
    if (std::getline(in, word)) {
        std::istringstream inner(word);
        unsigned long v = 0;
        inner >> v;
        say(v == 3, '3'), say(v > 50, '>'), say(inner.fail(), 'f');
    }
#elif KIND == 8  // any base
    short v = 1;
    in >> std::resetiosflags(std::ios::basefield) >> v;
    say(v == 8, '8'), say(v == 1, '1');
#elif KIND == 10 // a look at what comes, and no more
    int next = in.peek();
    say(next == 'p', 'p'), say(next < 0, 'e');
#else            // until the end of a word; std::stoi
    in.ignore(9, ' ');
    std::getline(in, word, ',');
    try {
        say(std::stoi(word) == 5, '5');
    } catch (const std::invalid_argument &) {
        say(true, 'i');
    }
#endif
    say(in.fail(), 'F'), say(in.eof(), 'E'), say(in.bad(), 'B'), say(true, '\n');
}

#ifdef REFERENCE
int main()
{
    std::set<std::string> all;
    for (int length = 0; length <= 2; length++)
        for (int i = 0; i < (length == 0 ? 1 : length == 1 ? 256 : 65536); i++) {
            std::istringstream in(
                std::string{static_cast<char>(i), static_cast<char>(i >> 8)}.substr(0, length));
            said.clear();
            answer(in);
            all.insert(said);
        }
    for (const std::string &line : all)
        std::fputs(line.c_str(), stdout);
}
#else
int main()
{
#if SOURCE == 2
    std::ifstream in("given");
#else
    std::istream &in = std::cin;
    if (SOURCE == 1)
        std::ios::sync_with_stdio(false);
#endif
    answer(in);
}
#endif
