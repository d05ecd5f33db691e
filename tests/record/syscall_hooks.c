/* A program that knows ThreadSanitizer tells it about a raw system call. */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__clang__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)
#include <sanitizer/linux_syscall_hooks.h>
#define BEFORE(fd)   __sanitizer_syscall_pre_close(fd)
#define AFTER(r, fd) __sanitizer_syscall_post_close(r, fd)
#endif
#endif
#ifndef BEFORE
#define BEFORE(fd)   (void)(fd)
#define AFTER(r, fd) (void)(r)
#endif

static void *closer(void *arg)
{
    int fd = *(int *)arg;
    BEFORE(fd);
    long r = syscall(SYS_close, fd);
    AFTER(r, fd);
    printf("close: %ld\n", r);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int fd = dup(1);
    pthread_create(&t, NULL, closer, &fd);
    pthread_join(t, NULL);
    return 0;
}
