type Names list[str]
