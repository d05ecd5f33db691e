/* A file system in small: an inode is given a block under the inode's lock, and blocks are searched
 * for under a lock of their own each, always taken after the inode's. Two threads want different
 * inodes, which may share an entry. With -DLATE the search drops the block's lock before it marks
 * the block as busy; with -DCROSSED one path takes the block's lock first. */
// expect: race=- atomicity=- deadlock=-
// expect -DLATE: race=- atomicity=busy deadlock=-
// expect -DCROSSED: race=- atomicity=- deadlock=2
#include <pthread.h>
#include <stdio.h>

enum { INODES = 2, BLOCKS = 3, THREADS = 3 };

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static int find_block(int start)
{
    for (int i = 0; i < BLOCKS; i++) {
        int b = (start + i) % BLOCKS;
        pthread_mutex_lock(&block_lock[b]);
        int taken = busy[b];
#ifdef LATE
        pthread_mutex_unlock(&block_lock[b]);
        if (!taken) {
            pthread_mutex_lock(&block_lock[b]);
            busy[b] = 1;
            pthread_mutex_unlock(&block_lock[b]);
            return b;
        }
#else
        if (!taken)
            busy[b] = 1;
        pthread_mutex_unlock(&block_lock[b]);
        if (!taken)
            return b;
#endif
    }
    return -1;
}

static void free_block(int b)
{
    pthread_mutex_lock(&block_lock[b]);
    busy[b] = 0;
    pthread_mutex_unlock(&block_lock[b]);
}

/* Gives the inode a block, and takes it away again. */
static void use_block(int i)
{
    pthread_mutex_lock(&inode_lock[i]);
    int b = find_block(0);
    inode[i]++;
    if (b >= 0)
        free_block(b);
    pthread_mutex_unlock(&inode_lock[i]);
}

static void *worker(void *arg)
{
    int me = *(int *)arg;
    use_block(me % INODES);
#ifdef CROSSED
    pthread_mutex_lock(&block_lock[0]);
    pthread_mutex_lock(&inode_lock[1]);
    inode[1]++;
    pthread_mutex_unlock(&inode_lock[1]);
    pthread_mutex_unlock(&block_lock[0]);
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS], sum = 0;
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inode_lock[i], NULL);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&block_lock[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, worker, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < INODES; i++)
        sum += inode[i];
    printf("%d\n", sum > 0);
    return 0;
}
