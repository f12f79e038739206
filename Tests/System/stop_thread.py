"""usage: stop_thread.py PID NAME NUMBER

Stops one thread of a process and no other, as if it hung: the NUMBERth (from 0) of those called NAME. Prints its id
once it has stopped, and keeps it until the process has ended or this program is ended, which lets the thread go on.
"""

import ctypes
import os
import sys
from pathlib import Path

PTRACE_SEIZE, PTRACE_INTERRUPT = 0x4206, 0x4207
# waitpid for threads, too.
WALL = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request: int, thread: int) -> None:
    if libc.ptrace(request, thread, None, None) == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"ptrace {request:#x} of thread {thread}: {os.strerror(code)}")


def main() -> None:
    pid, name, number = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    tasks = sorted(int(task.name) for task in Path(f"/proc/{pid}/task").iterdir())
    names = {task: Path(f"/proc/{pid}/task/{task}/comm").read_text().strip() for task in tasks}
    threads = [task for task in tasks if names[task] == name]
    if number >= len(threads):
        sys.exit(f"process {pid} has {len(threads)} threads called {name}; its threads: {sorted(names.values())}")
    ptrace(PTRACE_SEIZE, threads[number])
    ptrace(PTRACE_INTERRUPT, threads[number])
    os.waitpid(threads[number], WALL)
    print(threads[number], flush=True)
    # A thread that was killed stays, and with it its process, until the one who traces it has seen its end.
    while True:
        _, status = os.waitpid(threads[number], WALL)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            return


main()
