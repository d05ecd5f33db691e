/* Compiled by gcc: nothing of it is seen. */
void hidden_put(int v);
int hidden_get(void);
static volatile int hidden;

void hidden_put(int v)
{
    hidden = v;
}

int hidden_get(void)
{
    return hidden;
}
