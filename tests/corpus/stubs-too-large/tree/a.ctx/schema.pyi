class A0:
    x: int


class A1:
    a: A0
    b: A0


class A2:
    a: A1
    b: A1


class A3:
    a: A2
    b: A2


class A4:
    a: A3
    b: A3


class A5:
    a: A4
    b: A4


class A6:
    a: A5
    b: A5


class A7:
    a: A6
    b: A6


class A8:
    a: A7
    b: A7


class A9:
    a: A8
    b: A8


class A10:
    a: A9
    b: A9


class A11:
    a: A10
    b: A10


class A12:
    a: A11
    b: A11


class A13:
    a: A12
    b: A12


class A14:
    a: A13
    b: A13


class A15:
    a: A14
    b: A14


class Output(A15): ...


class Input:
    x: Literal["0"] | Literal["1"] | Literal["2"] | Literal["3"] | Literal["4"] | Literal["5"] | Literal["6"] | Literal["7"] | Literal["8"] | Literal["9"] | Literal["10"] | Literal["11"] | Literal["12"] | Literal["13"] | Literal["14"] | Literal["15"] | Literal["16"] | Literal["17"] | Literal["18"] | Literal["19"] | Literal["20"] | Literal["21"] | Literal["22"] | Literal["23"] | Literal["24"] | Literal["25"] | Literal["26"] | Literal["27"] | Literal["28"] | Literal["29"] | Literal["30"] | Literal["31"] | Literal["32"] | Literal["33"] | Literal["34"] | Literal["35"] | Literal["36"] | Literal["37"] | Literal["38"] | Literal["39"] | Literal["40"] | Literal["41"] | Literal["42"] | Literal["43"] | Literal["44"] | Literal["45"] | Literal["46"] | Literal["47"] | Literal["48"] | Literal["49"] | Literal["50"] | Literal["51"] | Literal["52"] | Literal["53"] | Literal["54"] | Literal["55"] | Literal["56"] | Literal["57"] | Literal["58"] | Literal["59"] | Literal["60"] | Literal["61"] | Literal["62"] | Literal["63"] | Literal["64"] | Literal["65"] | Literal["66"] | Literal["67"] | Literal["68"] | Literal["69"] | Literal["70"] | Literal["71"] | Literal["72"] | Literal["73"] | Literal["74"] | Literal["75"] | Literal["76"] | Literal["77"] | Literal["78"] | Literal["79"] | Literal["80"] | Literal["81"] | Literal["82"] | Literal["83"] | Literal["84"] | Literal["85"] | Literal["86"] | Literal["87"] | Literal["88"] | Literal["89"] | Literal["90"] | Literal["91"] | Literal["92"] | Literal["93"] | Literal["94"] | Literal["95"] | Literal["96"] | Literal["97"] | Literal["98"] | Literal["99"] | Literal["100"]
