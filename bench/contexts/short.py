"""Contexts of the categories tiny, prompt-5kb, conditionals, static-50kb."""

from typing import Any

Context = dict[str, Any]


def nothing() -> Context:
    return {}


def welcome() -> Context:
    return {"name": "Paweł Nowak", "team": "Field Operations"}


def classify() -> Context:
    return {
        "labels": ["billing", "outage", "how-to", "feedback", "spam"],
        "message": "  Since this morning every export ends at 99 % and then starts again. Is something wrong?\n",
    }


def translate() -> Context:
    return {"language": "Japanese", "formal": True, "text": "Your order 48-2213 leaves our warehouse on Tuesday."}


def short_list() -> Context:
    return {"items": ["Check the address", "Confirm the slot", "Send the label", "Close the case"]}


def support_agent() -> Context:
    return {
        "agent": {
            "name": "Mira",
            "handover_priority": "normal",
            "rights": [
                {"what": "give a credit for an outage that an incident report confirms", "limit": 50},
                {"what": "extend a trial once by two weeks", "limit": None},
                {"what": "resend invoices and confirmations", "limit": None},
                {"what": "refund a double payment", "limit": 120},
                {"what": "move a seat from one member to another", "limit": None},
            ],
        },
        "company": {
            "name": "Quayside",
            "product": "a shared inbox with a knowledge base",
            "site": "quayside.example",
            "currency": "EUR",
            "terms": ["Workspace", "Inbox", "Conversation", "Article", "Seat"],
            "hours": "Monday to Friday, 8:00 to 18:00 in Berlin",
        },
        "customer": {
            "name": "Dr. Miriam Öztürk",
            "plan": {"name": "Team", "seats": 84, "period": "yearly"},
            "since": "2021-04-12",
            "language": "German",
            "open_tickets": [
                {"id": "Q-48213", "state": "waiting for us", "title": "Export of conversations in bulk"},
                {"id": "Q-48377", "state": "waiting for customer", "title": "Two invoices for March"},
            ],
            "notes": "wants numbers before opinions; prefers e-mail to calls",
        },
        "today": "2026-02-03",
        "style": {"max_words": 120, "formal": True},
        "incidents": [
            {"title": "Delayed notifications", "since": "09:40", "area": "EU", "next_update": "11:00"},
            {"title": "Search shows old results", "since": "10:05", "area": "all regions", "next_update": "10:45"},
        ],
    }


def code_review() -> Context:
    paths = [
        "billing/invoices.py", "billing/totals.py", "billing/api/routes.py", "billing/api/errors.py",
        "migrations/0042_add_tax_country.sql", "tests/billing/test_totals.py", "tests/billing/test_routes.py",
        "docs/billing.md", "clients/python/generated/invoices.py", "clients/typescript/generated/invoices.ts",
    ]  # fmt: skip
    return {
        "repository": {
            "name": "quayside/billing",
            "kind": "service",
            "languages": ["Python", "SQL"],
            "rules": [
                {"text": "Amounts are integers of the smallest unit, never floats."},
                {"text": "Every endpoint checks the workspace.", "exception": "health checks."},
                {"text": "A migration is written so that it can run twice."},
                {"text": "Times are in UTC until they are shown."},
                {"text": "A log line names the invoice, never the customer.", "exception": "the audit log."},
                {"text": "Public functions have a docstring that names errors."},
            ],
        },
        "change": {
            "title": "Work out tax by the country of the service",
            "author": "kim",
            "added": 412,
            "removed": 156,
            "reviewers": ["jo", "olena", "ana"],
            "labels": ["feature", "security", "dependencies"],
            "files": [
                {
                    "path": path,
                    "status": "new" if index in (3, 4) else "changed",
                    "added": 12 + index * 7,
                    "removed": (index * 5) % 31,
                    "generated": "generated" in path,
                }
                for index, path in enumerate(paths)
            ],
        },
        "limits": {"findings": 12, "minor": 3, "whole_repository": False},
        "language": "English",
    }


def persona_full() -> Context:
    return {
        "persona": {"name": "Mira", "role": "a tax adviser"},
        "tone": "terse",
        "limits": {"words": 150, "lines": 12},
        "language": "French",
        "second_language": "English",
        "audience": "experts",
        "simple": False,
        "tools": ["search", "calculator", "calendar"],
        "budget": 4,
        "cite": True,
        "extra": "Name the paragraph of the law.",
        "history": [{"role": "user", "content": "Hello"}],
    }


def persona_empty() -> Context:
    return {"persona": {}}


def locale() -> Context:
    kinds: list[dict[str, Any]] = [
        {"kind": "price", "label": "Monthly price", "value": 49},
        {"kind": "date", "label": "Renewal", "value": "2026-03-31", "text": "31 mars 2026"},
        {"kind": "flag", "label": "Single sign-on", "value": True},
        {"kind": "flag", "label": "Export", "value": False, "reason": "not in this plan"},
        {"kind": "text", "label": "Contact", "value": "aide@quayside.example"},
        {"kind": "text", "value": ""},
        {"kind": "price", "label": "Seat", "value": 7, "currency": "CHF"},
        {"kind": None, "label": "Separator"},
        {"kind": "text", "label": "Internal", "value": "x", "hidden": True},
        {"kind": "date", "label": "Signed", "value": "2024-03-28"},
    ]
    return {"locale": {"region": "FR", "language": "fr"}, "items": kinds * 3}


def handbook() -> Context:
    return {
        "company": "Quayside",
        "edition": "spring 2026",
        "country": "Germany and Austria",
        "contact": "handbook@quayside.example",
        "question": "Who decides when something urgent happens to an export at night?",
    }


def policy() -> Context:
    return {
        "company": "Quayside",
        "plan": "Enterprise",
        "parts": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
        "strict": True,
        "request": "May a partner see the reports of the last quarter?",
    }


def policy_excerpt() -> Context:
    return {**policy(), "plan": "Starter", "parts": [2, 7, 11], "strict": False}
