/* Writes a random C program of one thread, which does the same ROUNDS times: depend SEED >program.c
 *
 * It computes from its inputs by loops, calls, locals and memory. Every round but the last, which
 * is like the first, has another value in one of the inputs. Most choices hang on two inputs that
 * stay and on counters, so that mostly the same way is taken. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUTS = 20, STAY = 2, SIMPLE = 6, FUNCTIONS = 3, DEPTH = 3, NAMES = 64, ROUNDS = 38 };

static uint64_t state;
static unsigned locals[NAMES], n_locals, counters[NAMES], n_counters, names, functions;

static unsigned pick(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state * 0x2545F4914F6CDD1Du) >> 33) % n;
}

static void control(void)
{
    unsigned k = pick(n_counters + 2);
    if (k < n_counters)
        printf("i%u", counters[k]);
    else
        printf("g%u", k - n_counters);
}

static void local(void)
{
    if (n_locals)
        printf("x%u", locals[pick(n_locals)]);
    else
        printf("%u", pick(9));
}

static void element(const char *array)
{
    printf("%s[", array);
    if (pick(8) == 0)
        local();
    else
        control();
    printf(" + %u & 3]", pick(4));
}

static void atom(void)
{
    switch (pick(9)) {
    case 0:
        printf("g%u", pick(SIMPLE));
        break;
    case 1:
        element("a");
        break;
    case 2:
        element("near");
        break;
    case 3:
        printf("s%u.%c", pick(2), 'x' + (char)pick(2));
        break;
    case 4:
        printf("top->%c", 'x' + (char)pick(2));
        break;
    case 5:
        printf("%u", pick(9));
        break;
    default:
        local();
        break;
    }
}

static void condition(void);

static void expression(int depth)
{
    static const char *const operators[] = {" + ", " - ", " ^ ", " & ", " | ", " * "};
    unsigned kind = depth < 3 ? pick(8) : 0;
    if (kind < 3) {
        atom();
        return;
    }
    putchar('(');
    if (kind == 3) {
        condition();
        fputs(" ? ", stdout);
    }
    expression(depth + 1);
    if (kind == 4) {
        fputs(" / (", stdout);
        control();
        fputs(" & 7 | 1)", stdout);
    } else {
        fputs(kind == 3 ? " : " : operators[pick(6)], stdout);
        expression(depth + 1);
    }
    putchar(')');
}

static void condition(void)
{
    putchar('(');
    if (pick(8) == 0)
        expression(2);
    else
        control();
    printf(pick(2) ? " & %u)" : " > %u)", 1 + pick(3));
}

static void place(void)
{
    switch (pick(8)) {
    case 0:
        element("a");
        break;
    case 1:
        element("near");
        break;
    case 2:
        printf("s%u.%c", pick(2), 'x' + (char)pick(2));
        break;
    case 3:
        printf("top->y");
        break;
    case 4:
    case 5:
        if (n_locals) {
            local();
            break;
        }
        /* fall through */
    default:
        printf("out[%u]", pick(4));
        break;
    }
}

static void assign(const char *how)
{
    place();
    fputs(how, stdout);
    expression(0);
    puts(";");
}

static unsigned new_local(void)
{
    printf("int x%u = ", names);
    if (n_locals < NAMES)
        locals[n_locals++] = names;
    return names++;
}

static void body(int depth, unsigned lines);

static void block(int depth)
{
    unsigned l = n_locals, c = n_counters;
    body(depth, 1 + pick(4));
    n_locals = l;
    n_counters = c;
    puts("}");
}

static void loop(int depth)
{
    unsigned i = names++, before = n_counters;
    printf("for (int i%u = 0; i%u < 6 && i%u < ", i, i, i);
    if (pick(2))
        printf("%u", 2 + pick(4));
    else
        control();
    printf("; i%u++) {\n", i);
    counters[n_counters++] = i;
    block(depth + 1);
    n_counters = before;
}

/* Jumps into the loop: x has a value on one way only. */
static void jump(int depth)
{
    unsigned x = names++;
    printf("{ int x%u, n%u = 0, c%u = ", x, x, x);
    control();
    printf(" & 1;\nswitch (c%u) {\ncase 0: x%u = ", x, x);
    expression(0);
    printf(";\nfor (;;) {\nif (!c%u) { out[0] = x%u; x%u += 3; }\n{\n", x, x, x);
    block(depth + 1);
    puts("case 1:");
    assign(" = ");
    printf("if (n%u++ > 3) break; }\n}\nif (!c%u) out[1] = x%u; }\n", x, x, x);
}

static void call(void)
{
    if (!functions) {
        assign(" = ");
        return;
    }
    unsigned f = pick(functions), which = pick(3), l = n_locals;
    new_local();
    n_locals = l; /* not yet */
    if (which || functions < 2)
        printf("f%u(", f);
    else
        printf("(g0 & 1 ? f0 : f1)(");
    expression(0);
    fputs(", ", stdout);
    expression(0);
    puts(");");
    locals[n_locals++ % NAMES] = names - 1;
}

static void memory(void)
{
    static const char *const forms[] = {
        "s0 = s1;",
        "s1 = s0;",
        "memcpy(near, a, sizeof a);",
        "memcpy(out, near, sizeof near);",
        "{ struct s t = s0; s1 = t; out[2] = t.x; }",
        "{ int sum = 0; for (int j = 0; j < 16; j++) sum += bytes[j]; out[3] = sum; }",
        "top = &nodes[g1 & 3];",
        "top = &nodes[g3 & 3];",
    };
    switch (pick(10)) {
    case 0:
        fputs("memset(out, ", stdout);
        expression(1);
        puts(", (size_t)(g0 & 7) + 1);");
        break;
    case 1:
        fputs("atomic_fetch_add(&count, ", stdout);
        expression(1);
        puts(");");
        break;
    default:
        puts(forms[pick(8)]);
        break;
    }
}

static void choice(int depth)
{
    switch (pick(6)) {
    case 0:
    case 1:
        loop(depth);
        return;
    case 2:
        jump(depth);
        return;
    case 3:
        fputs("switch (", stdout);
        control();
        puts(" & 3) {\ncase 0: {");
        block(depth + 1);
        puts("/* fall through */\ncase 1: {");
        block(depth + 1);
        puts("break;\ndefault: {");
        block(depth + 1);
        puts("}");
        return;
    default:
        fputs("if ", stdout);
        condition();
        puts(" {");
        block(depth + 1);
        if (pick(2)) {
            puts("else {");
            block(depth + 1);
        }
    }
}

static void body(int depth, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++) {
        unsigned what = pick(16);
        if (what < 4 && depth < DEPTH) {
            choice(depth);
        } else if (what == 4) {
            call();
        } else if (what == 5) {
            memory();
        } else if (what == 6) {
            fputs("if ", stdout);
            condition();
            fputs(" return ", stdout);
            expression(0);
            puts(";");
        } else if (what == 7 && n_locals < NAMES / 2) {
            unsigned l = n_locals;
            new_local();
            n_locals = l;
            expression(0);
            puts(";");
            locals[n_locals++] = names - 1;
        } else {
            assign(pick(3) ? " = " : " += ");
        }
    }
}

static void function(void)
{
    printf("%sstatic int f%u(int x%u, int x%u) {\nint near[4] = {x%u, 2, x%u, 1};\n",
           pick(3) ? "__attribute__((noinline)) " : "", functions, names, names + 1, names,
           names + 1);
    n_locals = n_counters = 0;
    locals[n_locals++] = names++;
    locals[n_locals++] = names++;
    body(0, 4 + pick(5));
    fputs("return ", stdout);
    expression(0);
    puts(";\n}");
    functions++;
}

/* Everything is set anew from constants; `mark` tells that it was, `done` that the round is over.
 * In the end every byte is read, so that nothing is taken for one location because it always was.
 */
static void frame(void)
{
    puts("__attribute__((noinline)) static void start(int k) {\nconst signed char *q = inputs[k];");
    for (unsigned i = 0; i < SIMPLE; i++)
        printf("g%u = q[%u];\n", i, i);
    printf("for (int i = 0; i < 4; i++) {\na[i] = q[6 + i];\nout[i] = 0;\nnodes[i].x = q[10 + i];\n"
           "nodes[i].y = q[16 + i];\n}\n"
           "for (int i = 0; i < 16; i++) bytes[i] = (char)(q[14] + i * q[15]);\n"
           "for (unsigned i = 0; i < sizeof s0 / 4; i++) "
           "((volatile int *)&s0)[i] = q[16], ((volatile int *)&s1)[i] = q[17];\n"
           "top = nodes;\ncount = 0;\nmark = k;\n}\n"
           "int main(void) {\nfor (int k = 0; k < %d; k++) {\nstart(k);\n"
           "for (int i = 0; i < 3; i++) out[i] = f%u(g2 + i, g3);\ndone = k;\n}\n"
           "for (unsigned i = 0; i < 4; i++) (void)*(volatile int *)&a[i];\n"
           "for (unsigned i = 0; i < sizeof out; i++) (void)*((volatile char *)out + i);\n"
           "return 0;\n}\n",
           ROUNDS, functions - 1);
}

static void inputs(void)
{
    int base[INPUTS];
    for (unsigned i = 0; i < INPUTS; i++)
        base[i] = (int)pick(13);
    printf("static const signed char inputs[%d][%d] = {\n", ROUNDS, INPUTS);
    for (unsigned k = 0; k < ROUNDS; k++) {
        unsigned other = STAY + k % (INPUTS - STAY);
        putchar('{');
        for (unsigned i = 0; i < INPUTS; i++)
            printf("%d, ", i == other && k && k + 1 < ROUNDS ? (int)pick(13) : base[i]);
        puts("},");
    }
    puts("};");
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    state = (strtoull(argv[1], NULL, 10) + 1) * 0x9E3779B97F4A7C15u;
    for (int i = 0; i < 8; i++)
        pick(2);
    printf("#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n"
           "struct s { int x, y, more[%u]; } s0, s1, nodes[4], *top;\n"
           "int a[4], out[4];\nchar bytes[16];\natomic_int count;\nvolatile int mark, done;\n",
           2 + 2 * pick(4));
    for (unsigned i = 0; i < SIMPLE; i++)
        printf("int g%u;\n", i);
    inputs();
    for (unsigned i = 0; i < FUNCTIONS; i++)
        function();
    frame();
    return 0;
}
