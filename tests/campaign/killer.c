/* Kills the tool that runs it: for a unit that always crashes. */
#include <signal.h>
#include <unistd.h>

int main(void)
{
    kill(getppid(), SIGABRT); /* not SIGSEGV, which a sanitized tool handles */
    return 0;
}
