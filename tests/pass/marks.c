// FLAGS: -Xclang -fsanitize=thread -Werror
// ENV: HEDDLE_PASS_MARKED=1
/* With the front end's marks: what is excluded stays out, ThreadSanitizer's own pass adds nothing.
 */
int x, y;

__attribute__((no_sanitize("thread"))) void quiet(void);
void quiet(void)
{
    x++;
    __atomic_fetch_add(&y, 1, __ATOMIC_SEQ_CST);
}

__attribute__((noinline)) static void loud(void)
{
    y++;
    __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("nop" ::: "memory");
    __asm__ volatile("movb (%%rsp),%%al" ::: "al", "memory");
}
// LOG: read4 y loud
// LOG: rmw x loud
// LOG: asm . loud:20
// NOT: asm . loud:18
// NOT: asm . loud:19
// NOT: quiet
// NOIR: call .*@__tsan_[a-hj-z]
// IR: section "heddle_sites"
#if !__has_feature(thread_sanitizer)
#error "the front end's feature is off"
#endif

int main(void)
{
    quiet();
    loud();
    return 0;
}
