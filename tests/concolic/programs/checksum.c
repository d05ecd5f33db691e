/* A race behind a checksum over standard input. HUNT: --input stdin --size 8 -- PROGRAM */
#include "work.h"

#include <stdint.h>
#include <unistd.h>

int main(void)
{
    uint8_t b[8];
    uint32_t sum = 1, wide = 0;
    if (read(0, b, sizeof b) != sizeof b)
        return 1;
    for (int i = 0; i < 6; i++) {
        sum = sum + b[i];
        wide = wide + sum;
    }
    if (b[6] == (sum & 0xff) && b[7] == (wide & 0xff) && b[0] == 'H')
        work();
    return 0;
}
