#include <stdio.h>

int more(int n);

int main(void)
{
    printf("list %d\n", more(5));
    return 0;
}
