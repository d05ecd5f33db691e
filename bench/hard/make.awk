# Hard traces for prediction, as text. awk -v family=hot|nest|deep -v n=N -v threads=T -v places=P -v lock=SHARE -v seed=S
#   hot   one location, half reads and half writes, thread and place drawn anew for each access; a share of them
#         stands in a section of one lock of its own
#   nest  threads take up to three of ten locks in ascending order, use one of five locations, give them back
#   deep  two threads, one after the other, hold n locks at once
function below(k)
{
    return int(rand() * k)
}
function access(t, loc, line)
{
    printf "T%d|%s(x%d)|%d\n", t, below(2) ? "w" : "r", loc, line
}
function hot(   i, t, locked)
{
    for (i = 0; i < n; i++) {
        t = 1 + below(threads)
        locked = rand() < lock
        if (locked)
            print "T" t "|acq(L)|10"
        access(t, 0, 100 + below(places))
        if (locked)
            print "T" t "|rel(L)|11"
    }
}
function give_back(t)
{
    for (; depth[t] > 0; depth[t]--) {
        print "T" t "|rel(L" held[t, depth[t]] ")|" 50 + held[t, depth[t]]
        delete owner[held[t, depth[t]]]
    }
}
function nest(   i, t, from, l)
{
    for (i = 0; i < n; i++) {
        t = 1 + below(threads)
        from = depth[t] ? held[t, depth[t]] + 1 : 0
        l = from + below(11 - from)
        if (depth[t] < 3 && l < 10 && !(l in owner)) {
            owner[l] = t
            held[t, ++depth[t]] = l
            print "T" t "|acq(L" l ")|" 10 + l
        } else {
            access(t, below(5), 100 + below(places))
            if (below(2))
                give_back(t)
        }
    }
    for (t = 1; t <= threads; t++)
        give_back(t)
}
function deep(   t, i)
{
    for (t = 1; t <= 2; t++) {
        for (i = 0; i < n; i++)
            print "T" t "|acq(L" i ")|10"
        print "T" t "|w(x)|" 100 + t
        for (i = n - 1; i >= 0; i--)
            print "T" t "|rel(L" i ")|11"
        print "T" t "|w(y)|" 200 + t
    }
}
BEGIN {
    srand(seed)
    for (t = 1; t <= threads; t++)
        print "T0|fork(T" t ")|1"
    if (family == "hot")
        hot()
    else if (family == "nest")
        nest()
    else
        deep()
    for (t = 1; t <= threads; t++)
        print "T0|join(T" t ")|2"
}
