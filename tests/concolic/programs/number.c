/* A race behind a parsed number. HUNT: -- PROGRAM 5 */
#include "work.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    if (atoi(argv[1]) == 4711)
        work();
    return 0;
}
