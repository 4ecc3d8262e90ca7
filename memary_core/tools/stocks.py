"""The tool `stocks`: the latest price of a share, from Alpha Vantage."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from memary_core.errors import ToolError
from memary_core.tools import Tool
from memary_core.tools.result import ToolResult, one_line
from memary_core.tools.service import Service

if TYPE_CHECKING:
    from memary_core.settings import Settings

ALPHA_VANTAGE = "https://www.alphavantage.co"
KEY = "ALPHA_VANTAGE_API_KEY"
DESCRIPTION = (
    "The latest price of a share. symbol: its ticker, such as IBM or TSCO.LON, not the company's name. "
    "The price may be minutes or, while the exchange is closed, days old: say of which day it is."
)
_MOST = 10**9
_SYMBOL = re.compile(r"[A-Z0-9][A-Z0-9.:^=-]{0,19}")


class Stocks:
    """Asks Alpha Vantage for one quote. Whatever holds no price is an error."""

    def __init__(self, api_key: str | None, *, base_url: str = ALPHA_VANTAGE, timeout: float = 15.0) -> None:
        self._url = f"{base_url.rstrip('/')}/query"
        self._service = Service("Alpha Vantage", KEY, api_key or "", timeout)

    def tool(self) -> Tool:
        """This, as a tool; unavailable without a key."""
        missing = f"Share prices are unavailable, because {KEY} is not set." if not self._service.key else ""
        return Tool("stocks", DESCRIPTION, self.run, missing)

    def run(self, symbol: str) -> ToolResult:
        """The latest price of `symbol`, with its day and the change since the day before."""
        wanted = symbol.strip().lstrip("$").upper()
        if not _SYMBOL.fullmatch(wanted):
            raise ToolError(f"{one_line(symbol, 40)!r} is not a ticker symbol; give one such as IBM or TSCO.LON.")
        if not self._service.key:
            raise ToolError(f"Share prices are unavailable, because {KEY} is not set. Set it, then start memary again.")
        query = f"{self._url}?{urlencode({'function': 'GLOBAL_QUOTE', 'symbol': wanted})}"
        reply = self._service.ask(f"{query}&{urlencode({'apikey': self._service.key})}")
        quote = self._quote(reply, wanted)
        price = _price(quote.get("05. price"))
        if price is None:
            raise self._service.strange(f"no price for {wanted}")
        return ToolResult(_told(wanted, price, quote), query, wanted)

    def _quote(self, reply: Any, symbol: str) -> dict[str, Any]:
        if not isinstance(reply, dict):
            raise self._service.strange()
        for kind in ("Note", "Information"):
            if kind in reply:
                said = self._service.hidden(str(reply[kind]))
                raise ToolError(f"Alpha Vantage gave no price, but said: {said} Wait, or see your plan there.")
        if "Error Message" in reply or reply.get("Global Quote") == {}:
            raise ToolError(f"Alpha Vantage knows no share {symbol}. Look its ticker symbol up, with the exchange.")
        quote = reply.get("Global Quote")
        if not isinstance(quote, dict):
            raise self._service.strange()
        return quote


def tool(settings: Settings) -> Tool:
    """The tool, with the key that `settings` hold."""
    return Stocks(settings.alpha_vantage_api_key).tool()


def _price(raw: object) -> Decimal | None:
    try:
        price = Decimal(str(raw))
    except InvalidOperation:
        return None
    return price if price.is_finite() and 0 < price < _MOST else None


def _told(symbol: str, price: Decimal, quote: dict[str, Any]) -> str:
    day = one_line(str(quote.get("07. latest trading day", "")), 20)
    change = one_line(str(quote.get("10. change percent", "")), 20)
    on = f" on {day}" if day else ""
    since = f", {change} against the day before" if change else ""
    return f"{symbol} stood at {price.normalize():f}{on}{since}."
