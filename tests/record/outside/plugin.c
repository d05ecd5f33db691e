/* Loaded by host.c, and compiled without instrumentation. */
int plugin_count;

void plugin_hit(void);
void plugin_hit(void)
{
    plugin_count++;
}
