# Loaded into gdb by `heddle replay --gdb` (and by hand after `target remote`, see heddle-replay(1)).
#
# Stops the program where both threads of the race stand before their accesses, and adds the commands
# heddle-schedule, heddle-next and heddle-other. Talks to the runtime through its exported symbols (policy_follow.c)
# and reads the steps of the schedule from the file that heddle wrote.
import os

import gdb


def position():
    """How many entries of the schedule have run."""
    return int(gdb.parse_and_eval("((unsigned long *)&__hd_follow)[0]"))


class Steps:
    """The schedule as text: one line for each entry; the first line counts those of the property."""

    def __init__(self):
        self.rows, self.first, self.second = [], 0, 0
        value = gdb.convenience_variable("heddle_steps")
        path = value.string() if value is not None else ""
        if not path or not os.path.exists(path):
            return
        with open(path, errors="replace") as file:
            head = file.readline().split()
            self.first, self.second = int(head[0]), int(head[1])
            self.rows = [line.rstrip("\n") for line in file]

    def swap(self):
        rest = len(self.rows) - self.first - self.second
        a, b = self.rows[rest:rest + self.first], self.rows[rest + self.first:]
        self.rows[rest:] = b + a
        self.first, self.second = self.second, self.first

    def property(self):
        return len(self.rows) - self.first - self.second

    def thread(self, which):
        """What reports call the thread that goes first (0) or second (1)."""
        at = self.property() + (self.first if which else 0)
        return self.rows[at].split()[0] if at < len(self.rows) else ""


steps = Steps()

def racing_thread(which):
    """The gdb thread of the one that goes first (0) or second (1)."""
    tid = int(gdb.parse_and_eval("((int *)&__hd_follow)[%d]" % (4 + which)))
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == tid or thread.ptid[2] == tid:
            return thread
    return None


def is_ours(frame):
    return "libheddle_rt" in (gdb.solib_name(frame.pc()) or "")


class Users:
    """What `bt` shows begins in the program; `bt -no-filters` shows the frames of the runtime, too."""

    def __init__(self):
        self.name, self.priority, self.enabled = "heddle", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        for frame in frames:
            if not is_ours(frame.inferior_frame()):
                yield frame


def users_frame():
    """Selects the innermost frame that is neither ours nor libc's."""
    frame = gdb.newest_frame()
    while frame is not None:
        sal = frame.find_sal()
        libc = "libc.so" in (gdb.solib_name(frame.pc()) or "")
        if not is_ours(frame) and not libc and sal.symtab is not None:
            frame.select()
            return frame
        frame = frame.older()
    return None


def show(which):
    thread = racing_thread(which)
    if thread is None:
        return
    thread.switch()
    frame = users_frame()
    if frame is None:
        return
    sal = frame.find_sal()
    turn = "second" if which else "first"
    name = steps.thread(which)
    if name:
        thread.name = "%s, goes %s" % (name, turn)
    print("heddle: thread %d%s stands at %s:%d (%s), and goes %s"
          % (thread.num, " (%s)" % name if name else "", sal.symtab.filename, sal.line, frame.name(), turn))


class Stand(gdb.Breakpoint):
    """Both threads stand at their accesses."""

    def __init__(self):
        super().__init__("__hd_both_stand", internal=True)
        self.silent = True


class Fork(gdb.Breakpoint):
    """The program is about to fork: gdb goes with the process that the replay is about."""

    def __init__(self):
        super().__init__("__hd_fork_ahead", internal=True)
        self.silent = True

    def stop(self):
        child = int(gdb.parse_and_eval("(int)$rdi"))
        gdb.execute("set follow-fork-mode " + ("child" if child else "parent"), to_string=True)
        return False


class Stopped(gdb.Breakpoint):
    """heddle-next got to its step."""

    def __init__(self):
        super().__init__("__hd_follow_stopped", internal=True)
        self.silent = True


def on_stop(event):
    if not isinstance(event, gdb.BreakpointEvent):
        return
    if any(isinstance(b, Stand) for b in event.breakpoints):
        print("heddle: both threads stand before their accesses")
        show(1)
        show(0)
    elif any(isinstance(b, Stopped) for b in event.breakpoints):
        at = position()
        if at <= len(steps.rows) and at > 0:
            print("heddle: done: " + steps.rows[at - 1])
        show(1 if at >= steps.property() + steps.first else 0)


class Schedule(gdb.Command):
    """heddle-schedule [all]: the steps around the present one, or all of them."""

    def __init__(self):
        super().__init__("heddle-schedule", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        at = position()
        for i, row in enumerate(steps.rows):
            near = at - 10 <= i <= at + 10 or i >= steps.property()
            if near or argument.strip() == "all":
                print("%s %5d  %s%s" % ("=>" if i == at else "  ", i + 1, row,
                                        "  (racing)" if i >= steps.property() else ""))
        if at >= len(steps.rows):
            print("=> the schedule is done: the threads run in turn")


class Next(gdb.Command):
    """heddle-next: run the next step of the schedule and stop."""

    def __init__(self):
        super().__init__("heddle-next", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        at = position()
        if at >= len(steps.rows):
            print("heddle: the schedule is done: use continue")
            return
        gdb.execute("set var ((unsigned long *)&__hd_follow)[1] = %d" % (at + 1))
        gdb.execute("continue")


def call(function):
    """Calls a function of the runtime while all other threads stand still: gdb would let them run meanwhile."""
    before = gdb.parameter("scheduler-locking")
    gdb.execute("set scheduler-locking on", to_string=True)
    try:
        gdb.execute("call (void)%s()" % function, to_string=True)
    finally:
        gdb.execute("set scheduler-locking %s" % before, to_string=True)


class Other(gdb.Command):
    """heddle-other: let the other of the two accesses go first, and look at its thread."""

    def __init__(self):
        super().__init__("heddle-other", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if position() != steps.property():
            print("heddle: the order is fixed: one of the accesses has run, or the threads are not there yet")
            return
        call("__hd_follow_swap")
        steps.swap()
        show(1)
        show(0)


def on_library(event):
    """Before it is there, gdb would complain about each function."""
    if "libheddle_rt" in (event.new_objfile.filename or ""):
        set_breakpoints()


def set_breakpoints():
    gdb.events.new_objfile.disconnect(on_library)
    Fork()
    Stand()
    Stopped()


Users()
Schedule()
Next()
Other()
gdb.events.new_objfile.connect(on_library)
if any("libheddle_rt" in (o.filename or "") for o in gdb.objfiles()):
    set_breakpoints()
gdb.events.stop.connect(on_stop)
