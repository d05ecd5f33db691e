/* Values that go round in a loop. */
volatile int a, b, c, seen;
volatile int out_1;

#define NOINLINE __attribute__((noinline))

/* A way into the loop on which x has no value: its token is not there either. */
NOINLINE static int jumped(int way)
{
    int x;
    switch (way) {
    case 0:
        x = a;
        for (;;) {
            if (!way)
                out_1 = x;
            x += 3;
            if (seen > 2)
                return way ? 0 : x;
        case 1:
            seen++;
        }
    }
    return 0;
}
// LOG: ^([0-9]+) read4 a jumped
// LOG: write4 out_1 jumped:[0-9]+ addr=- val=[0-9]+ = 0
// LOG: write4 out_1 jumped:[0-9]+ addr=- val=[0-9]+ = 3
// LOG: write4 seen jumped
// NOT: write4 out_1 jumped:[0-9]+ addr=- val=(-|all)

int main(void)
{
    b = jumped(0);
    c = jumped(1);
    return 0;
}
