x: int; type One = str
type Two\
= int
type Three[T: (int, str) = int] = (
    list[T]
)
"""
type Four = int
"""
