#include <stdio.h>

int main(void)
{
    puts("heddle " HD_VERSION);
    return 0;
}
