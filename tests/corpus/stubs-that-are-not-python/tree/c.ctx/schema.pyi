class Page[T]:
    items: list[T]
