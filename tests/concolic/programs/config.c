// A race behind a line of a configuration file.
// HUNT: --order coverage --input file:prog.conf -- PROGRAM
// FILE prog.conf: mode=slow
// FILE prog.conf: rounds=1
#include "work.h"

int main(void)
{
    char line[64];
    int rounds = 0, fast = 0;
    FILE *f = fopen("prog.conf", "r");
    if (!f)
        return 1;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "mode=", 5) == 0)
            fast = strcmp(line + 5, "fast") == 0;
        else if (sscanf(line, "rounds=%d", &rounds) != 1)
            rounds = 0;
    }
    fclose(f);
    if (fast && rounds > 6)
        work();
    return 0;
}
