/* A five-point stencil, swept between barriers. */
#include <omp.h>
#include <stdio.h>
enum { N = 400, SWEEPS = 10 };
static double a[N][N], b[N][N];
int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = (double)(i * j % 7);
    for (int k = 0; k < SWEEPS; k++) {
#pragma omp parallel for num_threads(2)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
#pragma omp parallel for num_threads(2)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = b[i][j];
    }
    printf("%.3f\n", a[N / 2][N / 2]);
    return 0;
}
