"""Whatever happens to the bytes of a pack ends in one of our errors or in the right text."""

import random
from pathlib import Path
from typing import Any

import frozenctx
import pytest
from frozenctx import packing
from frozenctx.elsewhere import Blob, Memory
from frozenctx.format import interpreter, pack_name
from frozenctx.objects import Objects
from frozenctx.packing import damage, packed
from handmade import emitted, files, package

SMALL = (package("a", "Hi {{ n }}{% include 'p.j2' %}", partials={"p.j2": "!"}), package("b", literal="text"))
NAME = pack_name(emitted(*SMALL).release, interpreter() or "")
CONTENT = files(*SMALL)
WHOLE = packed(Objects(Memory(CONTENT), emitted(*SMALL).release)).data
RIGHT = ["Hi 1!", "text", "b@v", ["a", "b"], "openai:gpt-5"]


def use(data: bytes) -> list[Any]:
    prompts = frozenctx.load({**CONTENT, NAME: data})
    b = prompts["b"]
    return [prompts["a"].system(n=1), b.system(), b.version[:3], list(prompts), prompts.named("a").model]


def holds(data: bytes) -> None:
    try:
        assert use(data) == RIGHT
    except frozenctx.FrozenctxError:
        pass


def test_the_whole_pack_gives_the_right_texts() -> None:
    assert use(WHOLE) == RIGHT
    assert damage(WHOLE) is None


def test_every_flipped_byte_is_an_error_of_ours_or_means_nothing() -> None:
    for index in range(len(WHOLE)):
        for flip in (1 << index % 8, 0x80, 0xFF):
            data = WHOLE[:index] + bytes([WHOLE[index] ^ flip]) + WHOLE[index + 1 :]
            holds(data)
            assert damage(data) is not None


def test_every_flipped_byte_and_truncation_of_a_pack_alone_is_an_error_of_ours_or_means_nothing(tmp_path: Path) -> None:
    alone = tmp_path / "x.pack"

    def asked() -> list[Any]:
        prompts = frozenctx.load(alone)
        b = prompts["b"]
        return [prompts["a"].system(n=1), b.system(), b.version[:3], list(prompts), prompts.named("a").model]

    alone.write_bytes(WHOLE)
    assert asked() == RIGHT
    for index in range(len(WHOLE)):
        alone.write_bytes(WHOLE[:index] + bytes([WHOLE[index] ^ (1 << index % 8)]) + WHOLE[index + 1 :])
        try:
            assert asked() == RIGHT
        except frozenctx.errors.LoadError:
            pass
        if index % 7 == 0:
            alone.write_bytes(WHOLE[:index])
            with pytest.raises(frozenctx.errors.LoadError):
                asked()


def test_every_swap_of_two_slices_is_an_error_of_ours_or_means_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    slices = packing._Slices

    class Noted(slices):  # type: ignore[misc,valid-type]
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(packing, "_Slices", Noted)
    assert packed(Objects(Memory(CONTENT), emitted(*SMALL).release)).data == WHOLE
    parts = made[0].parts
    head = WHOLE[: len(WHOLE) - sum(map(len, parts))]
    assert head + b"".join(parts) == WHOLE
    assert len(parts) > 8
    for one in range(len(parts)):
        for other in range(one):
            order = list(parts)
            order[one], order[other] = parts[other], parts[one]
            data = head + b"".join(order)
            holds(data)
            assert damage(data) is not None
        # One in the place of another, as far as it reaches.
        for other in range(len(parts)):
            if one != other:
                order = list(parts)
                order[one] = (parts[other] * (len(parts[one]) // len(parts[other]) + 1))[: len(parts[one])]
                holds(head + b"".join(order))


def test_what_is_written_into_an_open_pack_is_an_error_of_ours_or_means_nothing(tmp_path: Path) -> None:
    """As a copy onto the file would, which does not make a new one."""
    chance = random.Random(3)
    path = tmp_path / NAME
    for name, data in {**CONTENT, NAME: WHOLE}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    for _ in range(200):
        prompts = frozenctx.load(tmp_path, pack="require")
        with open(path, "r+b") as file:
            if chance.random() < 0.3:
                file.truncate(chance.randrange(len(WHOLE)))
            else:
                file.seek(chance.randrange(len(WHOLE)))
                file.write(chance.randbytes(chance.randint(1, 500)))
        try:
            assert [prompts["a"].system(n=1), prompts["b"].system()] == RIGHT[:2]
        except frozenctx.errors.Damaged:
            pass
        path.write_bytes(WHOLE)


def test_every_truncation_and_extension_is_an_error_when_it_is_loaded() -> None:
    for size in range(len(WHOLE)):
        with pytest.raises(frozenctx.FrozenctxError):
            use(WHOLE[:size])
    for more in (b"\0", b"x" * 5000, WHOLE):
        with pytest.raises(frozenctx.FrozenctxError):
            use(WHOLE + more)


def test_swapped_and_overwritten_parts_are_errors_of_ours_or_mean_nothing() -> None:
    chance = random.Random(7)
    for _ in range(3000):
        size = chance.randint(1, 200)
        one, other = (chance.randrange(len(WHOLE) - size) for _ in range(2))
        data = bytearray(WHOLE)
        data[one : one + size], data[other : other + size] = WHOLE[other : other + size], WHOLE[one : one + size]
        holds(bytes(data))
        data = bytearray(WHOLE)
        data[one : one + size] = chance.randbytes(size)
        holds(bytes(data))


def test_damage_in_a_large_pack_never_reads_as_an_unknown_key_or_another_text() -> None:
    packages = [package(f"p{number:04d}", f"{number} {{{{ n }}}}") for number in range(400)]
    content = files(*packages)
    hexdigits = emitted(*packages).release
    data = packed(Objects(Memory(content), hexdigits)).data
    chance = random.Random(11)
    for _ in range(1500):
        place = chance.randrange(len(data))
        damaged = data[:place] + bytes([data[place] ^ chance.randint(1, 255)]) + data[place + 1 :]
        number = chance.randrange(400)
        try:
            prompts = frozenctx.load({**content, pack_name(hexdigits, interpreter() or ""): damaged})
            assert prompts[f"p{number:04d}"].system(n=1) == f"{number} 1"
        except frozenctx.errors.Damaged:
            pass


def test_reading_beyond_the_end_is_short_and_not_an_exception() -> None:
    assert Blob("x", b"abc").read(2, 10) == b"c"
