/* A race behind a state machine of five inputs. HUNT: --input stdin --size 5 -- PROGRAM */
#include "work.h"

int main(void)
{
    enum { START, OPEN, READY, ARMED, HOT, LIVE } state = START;
    for (int i = 0; i < 5; i++) {
        int c = getchar();
        switch (state) {
        case START:
            state = c == 'o' ? OPEN : START;
            break;
        case OPEN:
            state = c == 'r' ? READY : START;
            break;
        case READY:
            state = c == 'a' ? ARMED : OPEN;
            break;
        case ARMED:
            state = c == 'h' ? HOT : READY;
            break;
        default:
            state = c == '!' ? LIVE : state;
        }
    }
    if (state == LIVE)
        work();
    return 0;
}
