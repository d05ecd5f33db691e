/* driver shared|many THREADS ROUNDS: threads insert, update and read rows, through one connection
 * or one each. Each thread has its own rows; the sums printed at the end do not depend on the
 * order. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3.h"

static sqlite3 *shared;
static int rounds;

static void must(int code, sqlite3 *db, const char *what)
{
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return;
    fprintf(stderr, "%s: %d %s\n", what, code, sqlite3_errmsg(db));
    exit(1);
}

static sqlite3 *open_it(void)
{
    sqlite3 *db;
    must(sqlite3_open("test.db", &db), NULL, "open");
    sqlite3_busy_timeout(db, 60000);
    must(sqlite3_exec(db, "PRAGMA synchronous=OFF", NULL, NULL, NULL), db, "pragma");
    return db;
}

static void *work(void *arg)
{
    int who = (int)(long)arg;
    sqlite3 *db = shared ? shared : open_it();
    for (int i = 0; i < rounds; i++) {
        char *sql = sqlite3_mprintf("INSERT INTO t(who, k, v) VALUES (%d, %d, 'row %d of %d');"
                                    "UPDATE t SET v = v || '!' WHERE who = %d AND k = %d;",
                                    who, i, i, who, who, i / 2);
        must(sqlite3_exec(db, sql, NULL, NULL, NULL), db, "write");
        sqlite3_free(sql);
        sqlite3_stmt *s;
        must(sqlite3_prepare_v2(db, "SELECT count(*), sum(length(v)) FROM t WHERE who = ?", -1, &s,
                                NULL),
             db, "prepare");
        sqlite3_bind_int(s, 1, who);
        must(sqlite3_step(s), db, "step");
        if (sqlite3_column_int(s, 0) != i + 1)
            fprintf(stderr, "thread %d sees %d rows in round %d\n", who, sqlite3_column_int(s, 0),
                    i);
        sqlite3_finalize(s);
    }
    if (!shared)
        sqlite3_close(db);
    return NULL;
}

static int print_row(void *arg, int n, char **values, char **names)
{
    (void)arg, (void)names;
    for (int i = 0; i < n; i++)
        printf("%s%s", values[i], i + 1 < n ? " " : "\n");
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t t[16];
    if (argc != 4)
        return 2;
    long threads = atoi(argv[2]);
    rounds = atoi(argv[3]);
    unlink("test.db");
    sqlite3 *db = open_it();
    must(sqlite3_exec(db, "CREATE TABLE t(who INT, k INT, v TEXT); CREATE INDEX i ON t(who, k)",
                      NULL, NULL, NULL),
         db, "create");
    shared = strcmp(argv[1], "shared") == 0 ? db : NULL;
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (long i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    must(sqlite3_exec(db, "SELECT who, count(*), sum(k), sum(length(v)) FROM t GROUP BY who",
                      print_row, NULL, NULL),
         db, "sums");
    sqlite3_close(db);
    unlink("test.db");
    return 0;
}
