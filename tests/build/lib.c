int shared_counter;

int bump(int by);
int bump(int by)
{
    shared_counter += by;
    return shared_counter;
}
