/* Sizes, values, kinds and names of accesses. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct item {
    char tag;
    short s;
    int n[3];
    struct {
        double weight;
    } inner;
    struct item *next;
};
struct item item, *head = &item;
long long big;
volatile int vol;
float f;
unsigned __int128 wide;
long double ld;
_Atomic int counter;
_Atomic long other;
static const int table[4] = {5, 6, 7, 8};
int plain;

__attribute__((noinline)) static void stores(int k)
{
    item.tag = 'a';
    item.s = (short)k;
    item.n[1] = 42;
    item.inner.weight = 1.0;
    big = -1;
    f = 2.0f;
    vol = vol + 1;
    wide = ((unsigned __int128)7 << 64) | 9;
    ld = 1.0L;
}
// LOG: write1 item.tag stores:[0-9]+ addr=- val=- = 97
// LOG: write2 item.s stores:[0-9]+ addr=- val=- = 3$
// LOG: write4 item.n\[1\] stores:[0-9]+ addr=- val=- = 42
// LOG: write8 item.inner.weight stores:[0-9]+ addr=- val=- = 4607182418800017408
// LOG: write8 big stores:[0-9]+ addr=- val=- = 18446744073709551615
// LOG: write4 f stores:[0-9]+ addr=- val=- = 1073741824
// LOG: read4 vol stores:[0-9]+ addr=- = 0
// LOG: write4 vol stores:[0-9]+ addr=- val=[0-9]+ = 1
// LOG: write_n wide stores:[0-9]+ n=16 addr=- val=- = 09000000000000000700000000000000
// LOG: write_n ld stores:[0-9]+ n=10 addr=- val=- = 0000000000000080ff3f

__attribute__((noinline)) static void heap(void)
{
    struct item *p = malloc(sizeof *p);
    p->n[2] = 1;
    p->next = head;
    head = p;
}
// LOG: write4 item.n\[2\] heap:[0-9]+ addr=- val=- = 1
// LOG: read8 head heap:[0-9]+ addr=-
// LOG: write8 item.next heap:[0-9]+ addr=- val=[0-9]+
// LOG: write8 head heap:[0-9]+ addr=- val=-

int through(struct item *p);
__attribute__((noinline)) int through(struct item *p)
{
    return p->next->n[0];
}

__attribute__((noinline)) static void atomics(void)
{
    atomic_store(&counter, 5);
    atomic_fetch_add_explicit(&counter, 2, memory_order_relaxed);
    atomic_exchange(&counter, 9);
    int expected = 9;
    atomic_compare_exchange_strong(&counter, &expected, 10);
    expected = 1;
    atomic_compare_exchange_strong(&counter, &expected, 11);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&other, atomic_load_explicit(&counter, memory_order_acquire),
                          memory_order_release);
}
// LOG: awrite counter atomics:[0-9]+ size=4 order=5 addr=- val=- = 5,0
// LOG: rmw_pre counter atomics:[0-9]+ addr=- = 05000000
// LOG: rmw counter atomics:[0-9]+ size=4 own=1 val=- = 07000000
// LOG: rmw counter atomics:[0-9]+ size=4 own=0 val=- = 09000000
// LOG: cas counter atomics:[0-9]+ size=4 stored=1 val=.* = 0a000000
// LOG: cas counter atomics:[0-9]+ size=4 stored=0 val=.* = 0a000000
// LOG: fence . atomics:[0-9]+ order=5
// LOG: aread counter atomics:[0-9]+ size=4 order=2 addr=- = 0a000000
// LOG: awrite other atomics:[0-9]+ size=8 order=3 addr=- val=[0-9]+ = 10,0

static char block[96];
__attribute__((noinline)) static void blocks(int n)
{
    memset(block, 7, (size_t)n);
    memmove(block + 1, block, 20);
    memcpy(block + 32, block, 16);
    memcpy(block + 40, block, 18);
    struct {
        long a, b;
    } pair = {n, 2};
    memcpy(block + 64, &pair, 16);
}
// LOG: memset block\[0\] blocks:[0-9]+ n=30 byte=7 addr=- val=-
// LOG: memmove block\[1\] blocks:[0-9]+ n=20 private= addr=-
// LOG: read_n block\[0\] blocks:[0-9]+ n=16 addr=- = 07070707070707070707070707070707
// LOG: write_n block\[32\] blocks:[0-9]+ n=16 addr=- val=[0-9]+ = 07070707070707070707070707070707
// LOG: memcpy block\[40\] blocks:[0-9]+ n=18 private= addr=- from=-
// LOG-O0: write_n block\[64\] blocks:[0-9]+ n=16 addr=- val=- = 1e000000000000000200000000000000

__attribute__((noinline)) static int constants(int i)
{
    int local[4] = {1, 2, 3, 4}, sum = 0;
    for (int k = 0; k < 4; k++)
        sum += local[k] * table[(k + i) & 3];
    plain = sum;
    return sum;
}
// LOG: write4 plain constants:[0-9]+ addr=- val=- =
// NOT: (read|write)[0-9n_]+ (local|sum|k|table|expected)

/* A pointer that goes through one of several constants. */
static const char first[] = "reed", second[] = "shed";
__attribute__((noinline)) static int letters(void)
{
    int sum = 0;
    for (const char *p = head ? first : second; *p; p++)
        sum += *p;
    plain = sum;
    return sum;
}
// LOG-O1+: write4 plain letters:[0-9]+ addr=- val=.* = 416
// NOT-O1+: read1 [^ ]+ letters:

int main(void)
{
    stores(3);
    heap();
    atomics();
    blocks(30);
    constants(1);
    letters();
    return through(head) != 0;
}
// LOG: read8 head main:[0-9]+ addr=- =
// LOG: read8 item.next through:[0-9]+ addr=[0-9]+ =
// LOG: read4 item.n\[0\] through:[0-9]+ addr=[0-9]+ = 0
