"""CPU seconds of the processes of a fleet."""

import psutil

from tests.soak.fleet import Fleet


def cpu_of(processes: list[psutil.Process]) -> float:
    spent = 0.0
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += times.user + times.system
    return spent


def with_children(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def postgres_processes(servers: Fleet) -> list[psutil.Process]:
    """The database's main process; those of connections come and go, and count with it once they have gone."""
    pid = int((servers.folder / "data" / "postgres" / "cluster" / "postmaster.pid").read_text().split()[0])
    return with_children(pid)


def spent_by(servers: Fleet) -> tuple[float, float, float]:
    """CPU seconds of the serving process, its workers, and PostgreSQL."""
    server, *workers = with_children(servers.members[0].process.pid)
    return cpu_of([server]), cpu_of(workers), cpu_of(postgres_processes(servers))
