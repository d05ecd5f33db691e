/* A race behind two options, in any order. HUNT: --size 3 --input argv -- PROGRAM -a b */
#include "work.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    int c, verbose = 0, threads = 1;
    while ((c = getopt(argc, argv, "vt:")) != -1) {
        if (c == 'v')
            verbose = 1;
        else if (c == 't')
            threads = atoi(optarg);
        else
            return 2;
    }
    if (verbose && threads == 3)
        work();
    return 0;
}
