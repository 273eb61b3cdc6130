class Task:
    """A piece of work."""

    title: str
    steps: list["Task"]


class Output:
    root: Task
    others: dict[str, Task]
