/* Particles of two workers; forces are added to shared arrays, steps are kept apart by a barrier of
 * a lock and a counter, and the energy of a step is summed without the lock. 2 threads besides
 * main. */
#include <pthread.h>
enum { PARTICLES = 10, WORKERS = 2, STEPS = 3 };
static double at[PARTICLES], speed[PARTICLES], force[PARTICLES];
static double energy, virial;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int arrived, round_number;
static void meet(void)
{
    pthread_mutex_lock(&lock);
    int mine = round_number;
    if (++arrived == WORKERS) {
        arrived = 0;
        round_number++;
        pthread_cond_broadcast(&changed);
    }
    while (mine == round_number)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}
static void add_forces(int me)
{
    for (int i = me; i < PARTICLES; i += WORKERS)
        for (int j = i + 1; j < PARTICLES; j++) {
            double d = at[i] - at[j];
            if (d * d < 9) {
                force[i] += d;
                force[j] -= d;
                virial -= d * d;
            }
        }
}
static void *worker(void *p)
{
    int me = (int)(long)p;
    for (int s = 0; s < STEPS; s++) {
        add_forces(me);
        meet();
        for (int i = me; i < PARTICLES; i += WORKERS) {
            speed[i] += force[i];
            at[i] += 0.01 * speed[i];
            force[i] = 0;
            energy += speed[i] * speed[i];
        }
        meet();
    }
    return p;
}
int main(void)
{
    pthread_t t[WORKERS];
    for (int i = 0; i < PARTICLES; i++)
        at[i] = 1.5 * i;
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], 0);
    return energy < 0 || virial > 0;
}
