class A:
    x: int


class B(A):
    x: str


class C(A):
    y: int


class D(A):
    x: bool


class Sound(C, B): ...


class Unclear(B, D): ...


class Output(A[int]): ...
