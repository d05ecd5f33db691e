/* Sparse matrix times vector, rows shared out by a guided loop. */
#include <omp.h>
#include <stdio.h>
enum { ROWS = 20000, PER_ROW = 12, ROUNDS = 8 };
static double value[ROWS * PER_ROW], x[ROWS], y[ROWS];
static int column[ROWS * PER_ROW];
int main(void)
{
    unsigned seed = 1;
    for (int i = 0; i < ROWS * PER_ROW; i++) {
        seed = seed * 1664525 + 1013904223;
        column[i] = (int)(seed >> 8) % ROWS;
        value[i] = (double)(seed >> 28) / 16;
    }
    for (int i = 0; i < ROWS; i++)
        x[i] = 1;
    for (int k = 0; k < ROUNDS; k++) {
#pragma omp parallel for num_threads(2) schedule(guided, 64)
        for (int i = 0; i < ROWS; i++) {
            double sum = 0;
            for (int j = 0; j < PER_ROW; j++)
                sum += value[i * PER_ROW + j] * x[column[i * PER_ROW + j]];
            y[i] = sum;
        }
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < ROWS; i++)
            x[i] = y[i] / PER_ROW;
    }
    printf("%.6f\n", x[ROWS / 2]);
    return 0;
}
