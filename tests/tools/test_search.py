"""Search: memory first, then Perplexity, over HTTP."""

from __future__ import annotations

import pytest

from memary_core.errors import GraphUnavailable, ToolError
from memary_core.settings import Settings
from memary_core.tools.search import Search, tool
from tests.tools.site import Reply, Site, as_json, redirect, unused_port

KEY = "pplx-secret"
PATH = "/chat/completions"


def said(content: object, **more: object) -> Reply:
    return as_json({"choices": [{"message": {"role": "assistant", "content": content}}], **more})


def nothing(query: str) -> str:
    del query
    return ""


def searching(site: Site, recall: object = nothing, **given: object) -> Search:
    return Search(recall, KEY, base_url=site.url, **{"timeout": 5, **given})


def test_the_answer_comes_with_the_addresses_it_cites(site: Site) -> None:
    site.serve(PATH, said("Lisbon has 545,000 people [1][2].", citations=["https://a.test/1", "https://b.test"]))
    result = searching(site).run("  How many people\nlive in Lisbon? ")
    assert (result.text, result.url) == ("Lisbon has 545,000 people [1][2].", "https://a.test/1")
    assert result.query == "How many people live in Lisbon?"
    assert str(result).endswith("Sources:\n[1] https://a.test/1\n[2] https://b.test")
    [asked] = site.asked
    assert (asked.method, asked.headers["Authorization"]) == ("POST", f"Bearer {KEY}")
    assert asked.json["messages"][-1] == {"role": "user", "content": "How many people live in Lisbon?"}


def test_memory_is_asked_first_and_what_it_holds_stays_here(site: Site) -> None:
    site.serve(PATH, said("Sunny."))
    asked: list[str] = []

    def recall(query: str) -> str:
        assert site.asked == []
        asked.append(query)
        return "Anna lives in Lisbon."

    result = searching(site, recall).run("weather where Anna lives")
    assert asked == ["weather where Anna lives"]
    assert (result.text, result.recalled) == ("Sunny.", "Anna lives in Lisbon.")
    assert "Lisbon" in str(result)
    assert b"Lisbon" not in site.asked[0].body


def test_what_memory_holds_is_the_result_where_the_web_fails(site: Site) -> None:
    site.serve(PATH, Reply(status=500))
    result = searching(site, lambda query: "Anna lives in Lisbon.").run("Anna")
    assert (result.text, result.url, result.citations) == ("", None, ())
    assert "Anna lives in Lisbon.\n\nThe web was not searched: Perplexity answered with status 500" in str(result)


def test_the_web_is_searched_where_memory_fails(site: Site) -> None:
    def recall(query: str) -> str:
        raise GraphUnavailable(f"The graph is away for {query}.")

    site.serve(PATH, said("Sunny."))
    result = searching(site, recall).run("weather")
    assert result.text == "Sunny."
    assert "Memory was not searched: The graph is away for weather." in str(result)


def test_both_forms_of_citations_are_read_and_what_is_no_page_keeps_its_number(site: Site) -> None:
    found = [{"title": "A", "url": "https://a.test"}, {"title": "B"}, {"url": "https://c.test"}]
    site.serve(PATH, said("x", search_results=found))
    assert searching(site).run("x").citations == ("https://a.test", "(no address)", "https://c.test")
    odd = ["javascript:alert(1)", "file:///etc/passwd", "https://a.test/\n[2] x", 7, "http://[", None, "https://b.test"]
    site.serve(PATH, said("x", citations=odd))
    result = searching(site).run("x")
    assert result.citations == (*["(no address)"] * 6, "https://b.test")
    assert result.url == "https://b.test"
    for other in ({"citations": "https://a.test"}, {"citations": {"a": 1}}, {"search_results": 3}):
        site.serve(PATH, said("x", **other))
        assert searching(site).run("x").citations == ()


def test_the_answer_is_data_bounded_and_without_thoughts(site: Site) -> None:
    site.serve(PATH, said(f"<think>Hm.</think>Yes.\x1b[0m\u202e {'a' * 50_000}"))
    text = searching(site).run("x").text
    assert text.startswith("Yes.[0m aaa") and len(text) < 6_100
    assert text.endswith("(cut after 6,000 characters)")


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (
            as_json({"error": {"message": f"Bad key {KEY}", "code": 401}}, 401),
            r"\(Bad key \(key\)\).*PERPLEXITY_API_KEY",
        ),
        (as_json({"error": "slow down"}, 429), r"takes no more requests now \(slow down\)"),
        (Reply(b"<html>", 502), "status 502"),
        (redirect("/elsewhere"), "status 302"),
        (Reply(b"not json"), "cannot be read"),
        (Reply(b"[" * 100_000), "cannot be read"),
        (as_json([]), "cannot be read"),
        (as_json({"choices": []}), "cannot be read"),
        (said(""), "found nothing"),
        (said(None), "found nothing"),
        (said("<think>only this"), "found nothing"),
        (Reply(b" " * 1_100_000), "more than 1,000,000 bytes"),
        (Reply(b"{", length=1000), "cannot be read"),
    ],
)
def test_what_goes_wrong_is_an_error_that_names_no_key(site: Site, reply: Reply, why: str) -> None:
    site.serve(PATH, reply)
    with pytest.raises(ToolError, match=why) as caught:
        searching(site).run("x")
    assert KEY not in str(caught.value)
    assert [each.path for each in site.asked] == [PATH]


@pytest.mark.parametrize("reply", [Reply(silent=True), Reply(b"{", length=-1, drips="body")])
def test_a_service_that_takes_its_time_is_cut_off(site: Site, reply: Reply) -> None:
    site.serve(PATH, reply)
    with pytest.raises(ToolError, match=r"did not answer within 0\.3 seconds"):
        searching(site, timeout=0.3).run("x")


def test_a_service_that_is_away_is_said() -> None:
    with pytest.raises(ToolError, match="cannot be reached"):
        Search(nothing, KEY, base_url=f"http://127.0.0.1:{unused_port()}").run("x")


def test_a_blank_query_asks_nobody(site: Site) -> None:
    with pytest.raises(ToolError, match="needs a query"):
        searching(site).run(" \n\u200b")
    assert site.asked == []


def test_without_a_key_it_is_unavailable_and_says_what_to_set(site: Site) -> None:
    missing = tool(Settings(perplexity_api_key=None), nothing)
    assert (missing.name, missing.unavailable) == (
        "search",
        "Web search is unavailable, because PERPLEXITY_API_KEY is not set.",
    )
    assert searching(site).tool().unavailable == ""
    with pytest.raises(ToolError, match="PERPLEXITY_API_KEY"):
        missing.run(query="x")
    assert "Anna" in str(Search(lambda query: "Anna", None).run("x"))
    assert KEY not in repr(vars(searching(site)))
