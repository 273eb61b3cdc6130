"""Contexts of the categories objects, dict-subclasses, macros, filter-chains, includes, integer-tables."""

from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

Context = dict[str, Any]


# Objects


@dataclass
class Address:
    street: str
    postcode: str
    city: str
    country: str


@dataclass
class Customer:
    name: str
    email: str
    language: str
    vat_id: str | None = None


@dataclass
class Line:
    sku: str
    title: str
    quantity: int
    price: float
    note: str = ""

    @property
    def total(self) -> float:
        return self.quantity * self.price


@dataclass
class Order:
    number: str
    placed_on: str
    status: str
    currency: str
    customer: Customer
    shipping: Address
    billing: Address
    lines: list[Line] = field(default_factory=list)

    @property
    def net(self) -> float:
        return sum(line.total for line in self.lines)

    @property
    def tax(self) -> float:
        return self.net * 0.19


def order() -> Context:
    shipping = Address("Speicherstraße 4", "20457", "Hamburg", "Germany")
    billing = Address("Postfach 11 20", "20401", "Hamburg", "Germany")
    customer = Customer("Acme Frachtlogistik GmbH", "einkauf@acme.example", "de", "DE123456789")
    titles = ("Label printer", "Labels, 500", "Scanner", "Holder", "Cable, 2 m", "Battery", "Charger", "Case")
    lines = [
        Line(f"A-{100 + n}", title, 1 + n % 4, 12.5 * (n + 1), "replaces the old model" if n % 3 == 2 else "")
        for n, title in enumerate(titles)
    ]
    return {"order": Order("48-2213", "2026-02-03", "paid", "EUR", customer, shipping, billing, lines)}


def incident() -> Context:
    core = SimpleNamespace(name="Core", channel="#core-oncall")
    edge = SimpleNamespace(name="Edge", channel="#edge-oncall")
    people = [
        SimpleNamespace(name=name, team=team)
        for name, team in (("Olena", core), ("Ana", edge), ("Kim", core), ("Jo", edge))
    ]
    services = [
        SimpleNamespace(
            name=name,
            region=("eu-central", "us-east")[n % 2],
            state=("degraded", "down", "recovering")[n % 3],
            owner=people[n % 4],
            error_rate=(0.21, 0.02, 0.074)[n % 3],
        )
        for n, name in enumerate(("inbox-api", "search", "export", "notify", "billing", "identity"))
    ]
    texts = (
        "Alert: 5xx above 5 % for ten minutes",
        "Looking at the gateway",
        "Rolled back the release of 09:30",
        "Errors fall; search still slow",
        "Index rebuild started, about 40 minutes",
        "Search back to normal",
    )
    timeline = [
        SimpleNamespace(at=f"{9 + n // 4:02d}:{n * 13 % 60:02d}", author=people[n % 4], text=texts[n % len(texts)])
        for n in range(12)
    ]
    return {
        "incident": SimpleNamespace(
            id="I-207",
            title="Errors when conversations are opened",
            severity="S2",
            commander=people[0],
            started="09:40",
            resolved=None,
            services=services,
            timeline=timeline,
        ),
        "settings": SimpleNamespace(sentences=3, tone="matter-of-fact", next_update="11:00"),
    }


class Slotted:
    __slots__ = ("first", "last", "role", "since", "office")

    def __init__(self, first: str, last: str, role: str, since: Any, office: Any) -> None:
        self.first, self.last, self.role, self.since, self.office = first, last, role, since, office


def people() -> Context:
    offices = [SimpleNamespace(city=city) for city in ("Hamburg", "Gdańsk", "Kyiv", "東京")]
    names = (("Miriam", "Öztürk"), ("Paweł", "Nowak"), ("Олена", "Коваль"), ("美咲", "佐藤"), ("Ana", "Souza"))
    roles = ("head of operations", "team lead", "engineer", "translator", "analyst")
    return {
        "people": [
            Slotted(*names[n % 5], roles[n % 5], SimpleNamespace(year=2012 + n % 13), offices[n % 4]) for n in range(60)
        ]
    }


# Subclasses of dict


def inventory() -> Context:
    titles = ("Label printer", "Labels", "Scanner", "Holder", "Cable", "Battery", "Charger", "Case")
    rows: list[OrderedDict[str, Any]] = [
        OrderedDict(
            sku=f"A-{100 + n}",
            title=titles[n % 8],
            stock=(n * 7) % 40,
            unit="pieces",
            minimum=12,
            supplier=("North", "Harbour")[n % 2],
        )
        for n in range(24)
    ]
    shelves: defaultdict[str, list[str]] = defaultdict(list)
    for n, row in enumerate(rows):
        shelves[f"S{n % 5}"].append(row["sku"])
    counts = Counter("out" if row["stock"] == 0 else "low" for row in rows if row["stock"] < row["minimum"])
    return {
        "day": "2026-02-03",
        "warehouse": OrderedDict(name="Hamburg South", code="HH2"),
        "rows": rows,
        "shelves": shelves,
        "counts": counts,
    }


class Record(dict[str, Any]):
    """A row as some database drivers hand it out: a dict whose keys can be read as attributes as well."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def records() -> Context:
    fields = ["name", "city", "country", "founded", "employees"]
    cities = ("Hamburg", "Gdańsk", "Київ", "東京", "São Paulo")
    made = [
        Record(
            id=f"R-{n:03d}",
            kind=("customer", "supplier")[n % 2],
            name=f"Company {n}",
            city=cities[n % 5],
            country=("DE", "PL", "UA", "JP", "BR")[n % 5],
            founded=1950 + n * 3 % 70,
            employees=40 + n * 17 % 900,
            changed_by="kim" if n % 3 else "",
            changed_at="2026-01-19",
        )
        for n in range(20)
    ]
    return {"records": made, "fields": fields}


# Macros


def form() -> Context:
    claims = [
        {"what": f"Parcel {n} was {n % 3 + 1} days late", "evidence": f"photo {n}", "kind": ("delay", "damage")[n % 2]}
        for n in range(1, 7)
    ]
    return {
        "person": {
            "name": "Miriam Öztürk",
            "born": "1979-05-14",
            "street": "Speicherstraße 4",
            "city": "Hamburg",
            "email": "",
            "contact": "e-mail",
            "language": "German",
        },
        "languages": ["German", "English", "Turkish"],
        "kinds": ["delay", "damage", "loss"],
        "claims": claims,
        "letter": "Guten Tag, sechs Pakete kamen zu spät, drei davon beschädigt. Ich bitte um Antwort.",
    }


def blocks() -> Context:
    return {
        "goal": "Find out why seats stay unused.",
        "facts": [{"text": f"Fact number {n} from the extract", "source": f"E{n}" if n % 2 else ""} for n in range(8)],
        "interviews": [
            {"who": f"Team lead {n}", "said": "We do not know who may invite whom.", "weight": 1 + n % 5}
            for n in range(6)
        ],
        "questions": [{"number": n, "text": "Who invites new colleagues?"} for n in range(1, 7)],
    }


def outline() -> Context:
    def part(title: str, depth: int) -> dict[str, Any]:
        node: dict[str, Any] = {"title": title, "pages": 3 + depth}
        if depth:
            node["children"] = [part(f"{title}.{n}", depth - 1) for n in range(1, 4)]
        return node

    return {"outline": [part(str(n), 2) for n in range(1, 4)], "words": 150}


# Filter chains


def keywords() -> Context:
    tags = ("Logistics", "customs", "Returns", "labels", "Scanning", "routing", "Customs")
    articles = [
        {
            "title": f"  what changes for parcels in part {n} ",
            "abstract": f"<p>From spring on, parcels of class {n} need\na second label.</p> The <em>old one</em> stays "
            "valid until the stock is used up; who prints labels at home has to update the program before April.",
            "tags": [tags[(n + step) % 7] for step in range(3)],
            "authors": [{"name": f" Author {n} "}, {"name": f"Author {n + 1}"}] if n % 4 else [],
            "published": n % 5 != 4,
            "score": (n * 37 % 100) / 7,
            "year": 2023 + n % 3,
            "words": 400 + n * 31,
        }
        for n in range(15)
    ]
    return {"articles": articles}


def cleaning() -> Context:
    notes = [
        {
            "text": f"  the gate {n}\twas CLOSED  when the lorry arrived, the driver waited for {n + 1} hours ",
            "by": ("Paweł NOWAK", "Miriam Öztürk", None, "ana souza")[n % 4],
            "on": f"2026-01-{10 + n:02d}",
        }
        for n in range(16)
    ]
    summary = " ".join(["The gate was closed on several days and lorries had to wait."] * 8)
    return {"notes": notes, "summary": summary}


def batches() -> Context:
    words = ["lorry", "gate", "label", "scanner", "parcel", "customs", "return", "driver", "seal", "pallet"]
    return {
        "words": [f"{word}{n}" for n in range(4) for word in words],
        "known": ["lorry0", "gate1", "label2", "seal3"],
        "scores": {word: len(word) * 7 % 11 for word in words},
    }


# Includes and inheritance


def brief() -> Context:
    return {
        "company": {"name": "Acme Frachtlogistik GmbH", "industry": "logistics", "employees": 840},
        "reader": "the head of sales",
        "meeting": "2026-02-10",
        "max_words": 220,
        "signals": [
            {"day": f"2026-01-{10 + n}", "text": "Weekly active seats fell again, for the sixth week."}
            for n in range(8)
        ],
    }


def assembled() -> Context:
    return {
        "tone": "formal",
        "locale": "de",
        "question": "Wie exportiere ich alle Konversationen?",
        "documents": [
            {"title": f"Article {n}", "text": "Exports are under Settings, Data. Choose the inboxes and the format.\n"}
            for n in range(8)
        ],
    }


def handover() -> Context:
    def tasks(first: int, count: int) -> list[dict[str, Any]]:
        return [
            {"id": f"T-{first + n}", "title": "Move the pallets to gate 4", "owner": "kim" if n % 2 else ""}
            for n in range(count)
        ]

    return {
        "shift": "the early shift",
        "open": tasks(100, 7),
        "done": tasks(200, 9),
        "remarks": ["Scanner 3 loses its battery.", "The gate sticks when it is cold.", "Customs closes at 16:00."],
        "audience": "the late shift",
    }


# Tables of integers


def usage() -> Context:
    return {
        "weeks": list(range(1, 13)),
        "rows": [{"team": f"Team {r}", "counts": [(r * 31 + w * 7) % 97 for w in range(12)]} for r in range(30)],
    }


def products() -> Context:
    return {"size": 20}


def ledger() -> Context:
    return {"opening": 1200, "entries": [(n, (n * 7919) % 500 - 260) for n in range(1, 61)]}
