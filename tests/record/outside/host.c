/* Two threads call a function of a module that is loaded while the program runs. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void (*hit)(void);

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        hit();
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!module) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    hit = (void (*)(void))dlsym(module, "plugin_hit");
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return dlclose(module);
}
