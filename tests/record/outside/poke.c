/* Linked into written.c, and compiled without instrumentation. */
void poke(int *p, int v);
void poke(int *p, int v)
{
    *p = v;
}
