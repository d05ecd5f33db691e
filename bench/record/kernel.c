/* An array kernel: four threads smooth a grid in turns, with a barrier between two turns. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define N       512

static double grid[2][N][N];
static pthread_barrier_t turn;
static int rounds;

static void *smooth(void *arg)
{
    long me = (long)arg;
    for (int r = 0; r < rounds; r++) {
        double(*from)[N] = grid[r & 1], (*to)[N] = grid[!(r & 1)];
        for (long i = 1 + me * (N - 2) / THREADS; i < 1 + (me + 1) * (N - 2) / THREADS; i++)
            for (int j = 1; j < N - 1; j++)
                to[i][j] = (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]) / 4;
        pthread_barrier_wait(&turn);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    rounds = 6 * (argc > 1 ? atoi(argv[1]) : 1);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            grid[0][i][j] = grid[1][i][j] = (i * 7 + j * 13) % 100;
    pthread_barrier_init(&turn, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, smooth, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%.6f\n", grid[0][N / 2][N / 2]);
    return 0;
}
