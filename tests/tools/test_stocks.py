"""Stocks: a quote from Alpha Vantage, over HTTP, and all its replies that are none."""

from __future__ import annotations

import logging

import pytest

from memary_core.errors import ToolError
from memary_core.settings import Settings
from memary_core.tools.stocks import Stocks, tool
from tests.tools.site import Reply, Site, as_json

KEY = "AV-SECRET"
QUOTE = {
    "01. symbol": "IBM",
    "05. price": "230.1500",
    "07. latest trading day": "2026-03-06",
    "10. change percent": "-1.2000%",
}


def asking(site: Site) -> Stocks:
    return Stocks(KEY, base_url=site.url, timeout=5)


def test_a_price_comes_with_its_day_and_where_it_is_from(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    site.serve("/query", as_json({"Global Quote": QUOTE}))
    result = asking(site).run(" $ibm ")
    assert result.text == "IBM stood at 230.15 on 2026-03-06, -1.2000% against the day before."
    assert (result.url, result.query) == (f"{site.url}/query?function=GLOBAL_QUOTE&symbol=IBM", "IBM")
    assert site.asked[0].path == f"/query?function=GLOBAL_QUOTE&symbol=IBM&apikey={KEY}"
    assert KEY not in str(result) + caplog.text


RATE = f"We have detected your API key as {KEY} and our standard API rate limit is 25 requests per day."


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (as_json({"Information": RATE}), r"gave no price, but said: We have detected your API key as \(key\)"),
        (as_json({"Note": RATE, "Global Quote": QUOTE}), r"gave no price, but said"),
        (as_json({"Error Message": "Invalid API call."}), "knows no share IBM"),
        (as_json({"Global Quote": {}}), "knows no share IBM"),
        (as_json({"Global Quote": {"01. symbol": "IBM"}}), "no price for IBM"),
        *(
            (as_json({"Global Quote": {**QUOTE, "05. price": price}}), "no price for IBM")
            for price in ("", "None", "0.0000", "-1", "NaN", "Infinity", "1e999999", [1], None, {"a": 1})
        ),
        (as_json({"Global Quote": "230.15"}), "cannot be read"),
        (as_json({}), "cannot be read"),
        (as_json([QUOTE]), "cannot be read"),
        (as_json("230.15"), "cannot be read"),
        (Reply(b"timestamp,price\n"), "cannot be read"),
        (as_json({"message": f"no {KEY}"}, 403), r"refused the request \(no \(key\)\).*ALPHA_VANTAGE_API_KEY"),
        (Reply(status=503), "status 503"),
    ],
)
def test_what_is_no_price_is_an_error_that_names_no_key(site: Site, reply: Reply, why: str) -> None:
    site.serve("/query", reply)
    with pytest.raises(ToolError, match=why) as caught:
        asking(site).run("IBM")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("symbol", ["", "Apple Inc", "IBM&apikey=x", "../x", "A" * 21, "IBM\nX", "é"])
def test_what_is_no_symbol_asks_nobody(site: Site, symbol: str) -> None:
    with pytest.raises(ToolError, match="is not a ticker symbol"):
        asking(site).run(symbol)
    assert site.asked == []


def test_without_a_key_it_is_unavailable_and_says_what_to_set(site: Site) -> None:
    missing = tool(Settings(alpha_vantage_api_key=None))
    assert (missing.name, missing.unavailable) == (
        "stocks",
        "Share prices are unavailable, because ALPHA_VANTAGE_API_KEY is not set.",
    )
    with pytest.raises(ToolError, match="ALPHA_VANTAGE_API_KEY"):
        missing.run(symbol="IBM")
    assert asking(site).tool().unavailable == ""
