#include "base/interrupt.h"

#include "base/outfile.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

/* Written by on_signal and hd_interrupt_*, read by on_signal and hd_interrupt_requested. The flags
 * carry no other data, so relaxed order is enough. */
static atomic_bool catching, requested;
static atomic_int which;

static void on_signal(int sig)
{
    bool polite = sig != SIGHUP && atomic_load_explicit(&catching, memory_order_relaxed);
    if (polite)
        atomic_store_explicit(&which, sig, memory_order_relaxed);
    if (polite && !atomic_exchange_explicit(&requested, true, memory_order_relaxed))
        return;
    hd_outfile_discard_all();
    signal(sig, SIG_DFL);
    raise(sig); /* taken when this handler returns */
}

void hd_interrupt_install(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 3; i++) {
        sigaction(signals[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) /* nohup and background jobs stay as they were started */
            sigaction(signals[i], &action, NULL);
    }
}

void hd_interrupt_catch(void)
{
    atomic_store_explicit(&requested, false, memory_order_relaxed);
    atomic_store_explicit(&which, 0, memory_order_relaxed);
    atomic_store_explicit(&catching, true, memory_order_relaxed);
}

void hd_interrupt_release(void)
{
    atomic_store_explicit(&catching, false, memory_order_relaxed);
}

bool hd_interrupt_requested(void)
{
    return atomic_load_explicit(&requested, memory_order_relaxed);
}

void hd_interrupt_request(void)
{
    atomic_store_explicit(&requested, true, memory_order_relaxed);
}

void hd_interrupt_by(int sig)
{
    if (sig == SIGINT || sig == SIGTERM)
        atomic_store_explicit(&which, sig, memory_order_relaxed);
    hd_interrupt_request();
}

int hd_interrupt_signal(void)
{
    return atomic_load_explicit(&which, memory_order_relaxed);
}

static void on_alarm(int sig)
{
    (void)sig;
    hd_interrupt_request();
}

void hd_interrupt_after(unsigned ms)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval once = {.it_value = {ms / 1000, (suseconds_t)(ms % 1000) * 1000}};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &once, NULL);
}
