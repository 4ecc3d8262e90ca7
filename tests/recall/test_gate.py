"""The gate on its gold set, where at most one message in fifty errs either way, and on what is hard to tell."""

from __future__ import annotations

import pytest

from memary_core.gate import gate
from memary_core.identity import Identities
from memary_core.memory import Memory
from memary_core.models import Entity, Gate, Kind
from memary_core.naming import meant
from tests.recall.measure import decisions

NAMES = (
    "Sofia", "Florence", "Biscuit", "Grace", "Max", "August", "Chase", "Hudson", "Geneva", "Tesla", "Dr. Okafor",
    "Project Orion", "Will", "Coventry", "Ruby", "The Crown", "佐藤", "tea",
)  # fmt: skip
ALIASES = {"Sofia": ("Soph",), "Dr. Okafor": ("my therapist", "the vet"), "Will": ("Bill",)}


@pytest.fixture(scope="module")
def known() -> Identities:
    identities = Identities(Entity("you", "You", Kind.SELF))
    for number, name in enumerate(NAMES):
        identities.add(Entity(str(number), name, aliases=ALIASES.get(name, ())))
    return identities


def named(text: str, known: Identities) -> list[str]:
    return [each.name for each in meant(text, known)]


def decided(text: str, known: Identities) -> Gate:
    return gate(text, named(text, known))


def test_hardly_any_message_gets_memory_without_need_or_lacks_it() -> None:
    rows = list(decisions())
    wanted = [found.open for row, found in rows if row["memory"]]
    unwanted = [found.open for row, found in rows if not row["memory"]]
    assert len(wanted) >= 120 and len(unwanted) >= 120
    assert wanted.count(False) / len(wanted) <= 0.02
    assert unwanted.count(True) / len(unwanted) <= 0.02
    assert all(found.reason for _, found in rows)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Where does Sofia work?", ["Sofia"]),
        ("SOFIA IS HERE", ["Sofia"]),
        ("is soph’s flat far from here", ["Sofia"]),
        ("sofias number?", ["Sofia"]),
        ("Is Grace coming?", ["Grace"]),
        ("does grace eat meat", ["Grace"]),
        ("grace's birthday", ["Grace"]),
        ("bill called, he needs a lift", ["Will"]),
        ("what's max allergic to", ["Max"]),
        ("how old is max", ["Max"]),
        ("Had lunch with Max.", ["Max"]),
        ("Chase is moving out", ["Chase"]),
        ("is August single?", ["August"]),
        ("what did the vet charge", ["Dr. Okafor"]),
        ("who is on project orion", ["Project Orion"]),
        ("Does Sofia Marques still work there?", ["Sofia"]),
        ("What's Grace Lindqvist's number?", ["Grace"]),
        ("佐藤さんはどこに住んでいますか", ["佐藤"]),
        ("Wo wohnt Sofia jetzt?", ["Sofia"]),
    ],
)
def test_a_name_is_meant(text: str, names: list[str], known: Identities) -> None:
    assert named(text, known) == names
    assert decided(text, known) == Gate(True, "names " + ", ".join(names))


@pytest.mark.parametrize(
    "text",
    [
        "Who was Florence Nightingale?",
        "who was florence nightingale",
        "How deep is the Hudson River?",
        "where is hudson bay",
        "What is the Geneva Convention?",
        "how does a tesla coil work",
        "Who was Nikola Tesla?",
        "What does iPhone 15 Pro Max cost?",
        "Was Mad Max a success?",
        "what was the siege of coventry",
        "who won the Treaty of Geneva debate",
        "what's the max speed of a cheetah",
        "how does the max function work in excel",
        "Will it snow in Bergen?",
        "will you explain entropy",
        "Is it hot in Rome in August?",
        "what is a grace period",
        "is there a chase scene in Bullitt",
        "Which is harder, a ruby or a diamond?",
        "how do I install Ruby on a mac",
        "what does the name Sofia mean",
        "Who wrote Sofia's World?",
        "How do I make tea?",
        "who was will the conqueror",
        "how many people live in coventryshire",
        "translate into French: Sofia lives in Geneva",
        'Proofread this: "Grace and Max has gone home."',
    ],
)
def test_a_name_in_a_longer_one_or_as_a_word_is_not_meant(text: str, known: Identities) -> None:
    assert named(text, known) == []
    assert not decided(text, known).open


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("what is my shoe size", "asks about you"),
        ("do I have kids", "asks about you"),
        ("how do I usually get to work", "asks about you"),
        ("how do I make my grandmother's soup", "asks about you"),
        ("who taught me to drive", "asks about you"),
        ("when do we leave on friday", "asks about you"),
        ("I'm allergic to nuts, right?", "asks about you"),
        ("The form wants an emergency contact. Who did I put last time?", "asks about you"),
        ("my passport number pls", "asks about you"),
        ("what did we agree on", "asks what was said"),
        ("I forgot what I said about the move", "asks what was said"),
        ("you told me about a podcast, which one was it", "asks what was said"),
        ("how do you know that?", "asks what was said"),
        ("what should I cook tonight", "asks for advice"),
        ("any gift ideas?", "asks for advice"),
        ("and what does she do", "asks about somebody named before"),
        ("his birthday?", "asks about somebody named before"),
        ("who's coming on saturday", "asks what memory may hold"),
        ("what did the plumber say", "asks what memory may hold"),
        ("Wann hat meine Mutter Geburtstag?", "asks about you"),
        ("¿Dónde vivo?", "asks about you"),
        ("Comment s'appelle ma sœur ?", "asks about you"),
        ("Qual é o nome da minha irmã?", "asks about you"),
        ("Как зовут мою собаку?", "asks about you"),
        ("私の誕生日はいつですか", "asks about you"),
        ("我住在哪里？", "asks about you"),
        ("내 생일이 언제야?", "asks about you"),
    ],
)
def test_what_only_the_speakers_life_answers_opens_it(text: str, reason: str, known: Identities) -> None:
    assert decided(text, known) == Gate(True, reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hey, how's it going?", "small talk"),
        ("thanks a lot, see you tomorrow!", "small talk"),
        ("Guten Morgen!", "small talk"),
        ("ありがとう", "small talk"),
        ("🙂", "holds no words"),
        ("7*8", "is a sum"),
        ("If I have 12 eggs and use 5, how many are left?", "is a sum"),
        ("summarise this: my brother and I met in Rome.", "asks for work on a text"),
        ("how do you say 'my sister is late' in Greek", "asks for work on a text"),
        ("rewrite it: I told you that my flight was late", "asks for work on a text"),
        ("why is the sea salty", "asks about the world, and names nothing known"),
        ("how do I get gum out of hair", "asks about the world, and names nothing known"),
        ("how long should I boil an egg", "asks about the world, and names nothing known"),
        ("do I need a permit to build a shed in Ontario?", "asks about the world, and names nothing known"),
        ("why is my printer offline", "asks about the world, and names nothing known"),
        ("why do we yawn", "asks about the world, and names nothing known"),
        ("I love history. When did Rome fall?", "asks about the world, and names nothing known"),
        ("Napoleon lost there. Where did he die?", "asks about the world, and names nothing known"),
        ("Wie hoch ist der Mont Blanc?", "asks about the world, and names nothing known"),
        ("I moved to Porto last year.", "asks nothing of memory, and names nothing known"),
        ("Had the worst day of my life", "asks nothing of memory, and names nothing known"),
    ],
)
def test_small_talk_sums_texts_and_the_world_leave_it_closed(text: str, reason: str, known: Identities) -> None:
    assert decided(text, known) == Gate(False, reason)


def test_what_a_long_message_asks_is_found_at_either_end(known: Identities) -> None:
    middle = "It rained all day and the train was late again. " * 2_000
    assert decided("What is my shoe size? " + middle, known).open
    assert decided(middle + "What is my shoe size?", known).open
    assert not decided(middle, known).open


def test_a_speaker_is_named_only_where_the_name_is_meant(memory: Memory) -> None:
    memory.observe("I moved to Porto.", speaker="Will")
    assert [turn.speaker for turn in memory.recall("Where did Will move to?").turns] == ["Will"]
    assert memory.recall("will it rain in Oslo").gate.reason == "asks about the world, and names nothing known"


def test_many_names_are_told_shortly() -> None:
    assert gate("", ["Anna", "Bo", "Anna", "Cy", "Di", "Ed"]).reason == "names Anna, Bo, Cy and 2 more"
    assert len(gate("", ["x" * 500]).reason) < 60
