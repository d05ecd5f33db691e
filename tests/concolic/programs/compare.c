/* A race behind a string compare. HUNT: -- PROGRAM word */
#include "work.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    if (strcmp(argv[1], "heddle") == 0)
        work();
    return 0;
}
