/* A race behind a line: a word and a number. HUNT: --size 9 --input stdin -- PROGRAM */
#include "work.h"

int main(void)
{
    char line[32], command[8], end;
    int number;
    if (!fgets(line, sizeof line, stdin))
        return 1;
    if (sscanf(line, "%7s %d%c", command, &number, &end) != 3 || end != '\n')
        return 2;
    if (strcmp(command, "set") == 0 && number == 4711)
        work();
    return 0;
}
