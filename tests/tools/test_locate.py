"""Locate: the public IP address and then the place, over HTTP, through geopy."""

from __future__ import annotations

import logging

import pytest

from memary_core.errors import ToolError
from memary_core.settings import Settings
from memary_core.tools.locate import Locate, tool
from tests.tools.site import Reply, Site, as_json

KEY = "AIza-secret"
IP = as_json({"ip": "198.51.100.7", "city": "Lisbon", "region": "Lisboa", "country": "PT", "loc": "38.7167,-9.1333"})
NOMINATIM = as_json({"display_name": "Lisbon, Portugal", "lat": "38.7", "lon": "-9.1"})
GOOGLE_PATH = "/maps/api/geocode/json"


def google(status: str, **more: object) -> Reply:
    return as_json({"status": status, "results": [], **more})


GOOGLE = google(
    "OK", results=[{"formatted_address": "Rossio, Lisbon", "geometry": {"location": {"lat": 38.7, "lng": -9.1}}}]
)


def locating(site: Site, key: str | None = None) -> Locate:
    return Locate(key, ip_url=site.url, nominatim_url=site.url, google_url=site.url, timeout=5)


def test_without_a_key_nominatim_names_the_place(site: Site) -> None:
    site.serve("/json", IP)
    site.serve("/reverse", NOMINATIM)
    result = locating(site).run()
    assert result.text == "Lisbon, Portugal (38.7167, -9.1333), going by the public IP address, which is rough."
    assert result.url == "https://www.openstreetmap.org/?mlat=38.7167&mlon=-9.1333"
    assert "198.51.100.7" not in str(result)
    asked = site.asked[1]
    assert "lat=38.7167&lon=-9.1333" in asked.path and "zoom=10" in asked.path
    assert asked.headers["User-Agent"] == "memary"


def test_with_a_key_google_names_the_place_and_no_log_names_the_key(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    site.serve("/json", IP)
    site.serve(GOOGLE_PATH, GOOGLE)
    result = locating(site, KEY).run()
    assert result.text.startswith("Rossio, Lisbon (38.7167, -9.1333)")
    assert f"key={KEY}" in site.asked[1].path and "latlng=38.7167%2C-9.1333" in site.asked[1].path
    assert "reverse" in caplog.text
    assert KEY not in str(result) + caplog.text


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (google("OVER_QUERY_LIMIT"), "Google Maps gave no address"),
        (google("REQUEST_DENIED", error_message=f"The key {KEY} is invalid."), r"The key \(key\) is invalid"),
        (google("UNKNOWN_ERROR"), "Google Maps gave no address"),
        (as_json({"error_message": KEY}, 403), r"Google Maps refused the request \(\(key\)\)"),
        (Reply(b"not json"), "Google Maps sent a reply that cannot be read"),
        (as_json([]), "Google Maps gave no address"),
        (google("OK", results=[{"geometry": {}}]), "Google Maps gave no address"),
        (Reply(status=500), "Google Maps answered with status 500"),
    ],
)
def test_where_the_address_cannot_be_looked_up_the_listed_city_stands(site: Site, reply: Reply, why: str) -> None:
    site.serve("/json", IP)
    site.serve(GOOGLE_PATH, reply)
    text = locating(site, KEY).run().text
    assert text.startswith("Lisbon, Lisboa, PT (38.7167, -9.1333), going by")
    assert "The address was not looked up: " in text and KEY not in text
    site.serve("/json", as_json({"loc": "38.7167,-9.1333"}))
    with pytest.raises(ToolError, match=why) as caught:
        locating(site, KEY).run()
    assert KEY not in str(caught.value)


def test_a_place_without_a_name_still_has_its_coordinates(site: Site) -> None:
    site.serve("/json", as_json({"loc": "0,-30"}))
    site.serve("/reverse", as_json({"error": "Unable to geocode"}))
    assert locating(site).run().text.startswith("No named place (0.0000, -30.0000)")


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        *((as_json({"loc": loc}), "no coordinates") for loc in ("", "1", "1,2,3", "a,b", "91,0", "0,181", "nan,0", 5)),
        (as_json({"bogon": True}), "no coordinates"),
        (as_json([]), "no coordinates"),
        (
            as_json({"error": {"title": "Rate limit", "message": "Too many"}}, 429),
            r"takes no more requests now \(Too many",
        ),
    ],
)
def test_an_address_that_is_listed_nowhere_is_an_error(site: Site, reply: Reply, why: str) -> None:
    site.serve("/json", reply)
    with pytest.raises(ToolError, match=why):
        locating(site).run()
    assert len(site.asked) == 1


def test_it_needs_no_key() -> None:
    made = tool(Settings(googlemaps_api_key=None))
    assert (made.name, made.unavailable) == ("locate", "")
