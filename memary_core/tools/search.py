"""The tool `search`: what memory holds, then what the web says, through Perplexity."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard
from urllib.parse import urlsplit

from memary_core.errors import MemaryError, ToolError
from memary_core.llm.thinking import visible
from memary_core.tools import Tool
from memary_core.tools.result import ToolResult, one_line, plain
from memary_core.tools.service import Service

if TYPE_CHECKING:
    from memary_core.settings import Settings

PERPLEXITY = "https://api.perplexity.ai"
MODEL = "sonar"
KEY = "PERPLEXITY_API_KEY"
DESCRIPTION = (
    "Search memory first, then the web, for what you do not know or what may have changed. "
    "query: a question or a few words that stand by themselves. Cite the sources that come back."
)
MAX_QUERY = 1_000
MAX_CITATIONS = 20
NO_PAGE = "(no address)"
_ASK = "Answer in at most 200 words, from current web pages, and mark each statement with its source."

Recaller = Callable[[str], str]
"""A query to the text of what memory has for it; empty where it has nothing."""


class Search:
    """Recalls, then asks Perplexity. Only the query leaves the machine, never what was recalled for it."""

    def __init__(
        self,
        recall: Recaller,
        api_key: str | None,
        *,
        base_url: str = PERPLEXITY,
        model: str = MODEL,
        timeout: float = 30.0,
    ) -> None:
        self._recall = recall
        self._model = model
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._service = Service("Perplexity", KEY, api_key or "", timeout)

    def tool(self) -> Tool:
        """This, as a tool; unavailable without a key."""
        missing = f"Web search is unavailable, because {KEY} is not set." if not self._service.key else ""
        return Tool("search", DESCRIPTION, self.run, missing)

    def run(self, query: str) -> ToolResult:
        """Search memory, then the web.

        Where the web fails and memory has something, that is the result, with what happened; else `ToolError`.
        """
        asked = one_line(query, MAX_QUERY)
        if not asked:
            raise ToolError("A search needs a query; nothing was searched. Give a question or a few words.")
        recalled, trouble = self._recalled(asked)
        try:
            text, citations = self._web(asked)
        except ToolError as error:
            if not recalled:
                raise
            return ToolResult("", None, asked, f"{recalled}\n\nThe web was not searched: {error}")
        noted = "\n\n".join(filter(None, [recalled, trouble]))
        return ToolResult(text, next((each for each in citations if each != NO_PAGE), None), asked, noted, citations)

    def _recalled(self, query: str) -> tuple[str, str]:
        try:
            return plain(self._recall(query)), ""
        except MemaryError as error:
            return "", f"Memory was not searched: {error}"

    def _web(self, query: str) -> tuple[str, tuple[str, ...]]:
        if not self._service.key:
            raise ToolError(f"Web search is unavailable, because {KEY} is not set. Set it, then start memary again.")
        messages = [{"role": "system", "content": _ASK}, {"role": "user", "content": query}]
        reply = self._service.ask(
            self._url,
            body={"model": self._model, "messages": messages},
            headers={"Authorization": f"Bearer {self._service.key}"},
        )
        try:
            text = plain("".join(visible([str(reply["choices"][0]["message"]["content"] or "")])))
        except (LookupError, TypeError) as error:
            raise self._service.strange() from error
        if not text:
            raise ToolError("Perplexity found nothing for this query. Word it otherwise.")
        return text, _citations(reply)


def tool(settings: Settings, recall: Recaller) -> Tool:
    """The tool, with the key that `settings` hold."""
    return Search(recall, settings.perplexity_api_key).tool()


def _citations(reply: dict[str, Any]) -> tuple[str, ...]:
    """The addresses of the pages cited, in the order of their marks. Both of Perplexity's forms are read."""
    listed = reply.get("citations") or reply.get("search_results")
    if not isinstance(listed, list):
        return ()
    urls = [each.get("url") if isinstance(each, dict) else each for each in listed[:MAX_CITATIONS]]
    # One that is no page keeps its place, so that the others keep their numbers.
    return tuple(url if _is_page(url) else NO_PAGE for url in urls)


def _is_page(url: object) -> TypeGuard[str]:
    if not isinstance(url, str) or len(url) > 2_000 or one_line(url, 2_001) != url:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
