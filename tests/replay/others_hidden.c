/* Compiled by gcc: nothing of it is seen. */
void hidden_put(int v);
int hidden_get(void);
int *hidden_take(void);
void hidden_give(int *block);
static volatile int hidden;

void hidden_put(int v)
{
    hidden = v;
}

int hidden_get(void)
{
    return hidden;
}

/* A pool without a lock of its own: the block that was given back last is taken first. */
static int blocks[2], *spare[2] = {&blocks[0], &blocks[1]};
static int n_spare = 2;

int *hidden_take(void)
{
    return n_spare ? spare[--n_spare] : 0;
}

void hidden_give(int *block)
{
    spare[n_spare++] = block;
}
