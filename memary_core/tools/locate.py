"""The tool `locate`: where the machine's public IP address is, as an address, through geopy."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from memary_core.errors import ToolError
from memary_core.tools import Tool
from memary_core.tools.result import ToolResult, one_line
from memary_core.tools.service import Service

if TYPE_CHECKING:
    from memary_core.settings import Settings

IPINFO = "https://ipinfo.io"
NOMINATIM = "https://nominatim.openstreetmap.org"
GOOGLE = "https://maps.googleapis.com"
KEY = "GOOGLEMAPS_API_KEY"
DESCRIPTION = (
    "Where the user probably is: the place that the public IP address of this machine belongs to. It may be off by "
    "a city. Takes nothing."
)
_CITY = 10
"""Nominatim's zoom level of a city: an IP address says no more than that."""
_STAND_IN = "the-key"


class Locate:
    """Looks the public IP address up, then the place: with a key through Google, else through Nominatim."""

    def __init__(
        self,
        googlemaps_api_key: str | None = None,
        *,
        ip_url: str = IPINFO,
        nominatim_url: str = NOMINATIM,
        google_url: str = GOOGLE,
        timeout: float = 10.0,
    ) -> None:
        self._ip = Service("ipinfo.io", timeout=timeout)
        self._ip_url = f"{ip_url.rstrip('/')}/json"
        self._google = Service("Google Maps", KEY, googlemaps_api_key or "", timeout)
        self._nominatim = Service("Nominatim", timeout=timeout)
        self._urls = {"google": google_url, "nominatim": nominatim_url}

    def tool(self) -> Tool:
        """This, as a tool; unavailable without geopy."""
        missing = (
            "" if find_spec("geopy") else "Locating is unavailable, because geopy is not installed: pip install geopy."
        )
        return Tool("locate", DESCRIPTION, self.run, missing)

    def run(self) -> ToolResult:
        """The place, its coordinates, and that both are rough.

        Where the address cannot be looked up, the city that the IP address is listed under is the result.
        """
        reply = self._ip.ask(self._ip_url)
        point = self._point(reply)
        listed = ", ".join(filter(None, (_text(reply, each) for each in ("city", "region", "country"))))
        try:
            place, trouble = self._address(point) or listed, ""
        except ToolError as error:
            if not listed:
                raise
            place, trouble = listed, f" The address was not looked up: {error}"
        where = f"{point[0]:.4f}, {point[1]:.4f}"
        text = f"{place or 'No named place'} ({where}), going by the public IP address, which is rough.{trouble}"
        latitude, longitude = point
        seen = urlencode({"mlat": f"{latitude:.4f}", "mlon": f"{longitude:.4f}"})
        return ToolResult(text, f"https://www.openstreetmap.org/?{seen}", where)

    def _point(self, reply: Any) -> tuple[float, float]:
        try:
            latitude, longitude = map(float, reply["loc"].split(","))
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise self._ip.strange("no coordinates") from error
        if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
            raise self._ip.strange("no coordinates on Earth")
        return latitude, longitude

    def _address(self, point: tuple[float, float]) -> str:
        try:
            from geopy.exc import GeopyError  # type: ignore[import-untyped]
            from geopy.geocoders import GoogleV3, Nominatim  # type: ignore[import-untyped]
        except ImportError as error:
            raise ToolError("geopy is not installed, so no address was looked up. Run pip install geopy.") from error
        service = self._google if self._google.key else self._nominatim
        parts = urlsplit(self._urls["google" if self._google.key else "nominatim"])
        options = {
            "scheme": parts.scheme,
            "domain": parts.netloc,
            "timeout": service.timeout,
            "adapter_factory": _adapter(service),
        }
        try:
            if self._google.key:
                found = GoogleV3(api_key=_STAND_IN, **options).reverse(point, language="en")
            else:
                found = Nominatim(user_agent="memary", **options).reverse(point, language="en", zoom=_CITY)
        except (GeopyError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise ToolError(
                f"{service.name} gave no address: {service.hidden(str(error))}. Try again later."
            ) from error
        return one_line(str(found.address or ""), 300) if found is not None else ""


def tool(settings: Settings) -> Tool:
    """The tool, with the key that `settings` hold, if they do."""
    return Locate(settings.googlemaps_api_key).tool()


def _text(reply: Any, key: str) -> str:
    value = reply.get(key)
    return one_line(value, 80) if isinstance(value, str) else ""


def _adapter(service: Service) -> Any:
    """How geopy asks: through our bounded reading. geopy logs what it asks, so the key is put in behind it."""
    from geopy.adapters import BaseSyncAdapter  # type: ignore[import-untyped]

    class Adapter(BaseSyncAdapter):  # type: ignore[misc]
        def get_json(self, url: str, *, timeout: float, headers: dict[str, str]) -> Any:
            del timeout
            return service.ask(url.replace(f"key={_STAND_IN}", urlencode({"key": service.key})), headers=headers)

        def get_text(self, url: str, *, timeout: float, headers: dict[str, str]) -> Any:
            return self.get_json(url, timeout=timeout, headers=headers)

    return lambda proxies, ssl_context: Adapter(proxies=proxies, ssl_context=ssl_context)
