/* A race behind long options. HUNT: --input argv -- PROGRAM aaaaaaa bb cc */
#include "work.h"

#include <getopt.h>

int main(int argc, char **argv)
{
    static const struct option options[] = {{"level", required_argument, NULL, 'l'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"lines", required_argument, NULL, 'n'},
                                            {NULL, 0, NULL, 0}};
    int c, quiet = 0;
    const char *level = NULL;
    while ((c = getopt_long(argc, argv, "l:qn:", options, NULL)) != -1) {
        if (c == 'l')
            level = optarg;
        else if (c == 'q')
            quiet = 1;
        else if (c != 'n')
            return 2;
    }
    if (quiet && level && atoi(level) == 42)
        work();
    return 0;
}
