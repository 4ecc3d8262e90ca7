"""Which addresses on the internet are public, and how a host in a URL is read. Pure.

Server-side request forgery: a URL from a stranger must not make this machine ask its own network. See RFC 6890 and
the IANA special-purpose address registries for the ranges.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import quote, urlsplit

from memary_core.errors import ToolError
from memary_core.tools.result import one_line

Address = IPv4Address | IPv6Address

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_TUNNELS = (IPv6Network("2001::/32"), IPv6Network("2002::/16"))
"""Teredo and 6to4: an IPv4 address rides inside, to which a relay would deliver."""
_ALSO_PRIVATE = tuple(map(ip_network, ("192.88.99.0/24", "192.0.0.0/24", "168.63.129.16/32", "3fff::/20")))
"""6to4 relays, protocol assignments, Azure's host service, and documentation, which `is_global` lets through."""
_ISATAP, _ISATAP_MASK = 0x5EFE, 0xFDFF_FFFF
"""RFC 5214: an interface identifier of 0000:5efe or 0200:5efe has an IPv4 address behind it."""
_PLACE = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\[\]:@]+)(?::[0-9]{0,5})?")
_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_MAX_URL = 4_000


def is_public(address: Address) -> bool:
    """May a stranger's URL lead there? Only to global unicast addresses that hide no other address."""
    if isinstance(address, IPv6Address):
        if address in _NAT64:  # what a network without IPv4 makes of an IPv4 address
            return is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
        if (int(address) >> 32) & _ISATAP_MASK == _ISATAP:
            return False
        if address.scope_id or address not in _GLOBAL_UNICAST or any(address in each for each in _TUNNELS):
            return False
    if address.is_multicast or address.is_reserved or address.is_private or address.is_loopback:
        return False
    return address.is_global and not any(address in each for each in _ALSO_PRIVATE if each.version == address.version)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads: `host` is an ASCII name or an address; `path` is what is asked for there."""

    url: str
    tls: bool
    host: str
    port: int
    path: str

    @property
    def address(self) -> Address | None:
        """The address that the host is written as, or None for a name."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None


def read_url(url: str) -> Target:
    """A URL, read in one way only. `ToolError` for one that another program might read otherwise.

    Refused: other schemes, user names and passwords, white space, control characters and backslashes, and hosts
    written as a number (decimal, octal, hexadecimal or shortened), which some resolvers take for an address.
    """
    shown = one_line(url, 120)
    if len(url) > _MAX_URL or "\\" in url or any(char.isspace() or not char.isprintable() for char in url):
        raise _refused(shown, "it holds signs that no address has, or is too long")
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
        if parts.scheme not in ("http", "https") or not host:
            raise _refused(shown, "it is no http or https address")
        if "@" in parts.netloc:
            raise _refused(shown, "it holds a user name or password")
        if not _PLACE.fullmatch(parts.netloc):
            raise ValueError(parts.netloc)
        host = _host(host)
    except ValueError as error:
        raise _refused(shown, "it is no address that can be read") from error
    tls = parts.scheme == "https"
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = "?" + quote(parts.query, safe="/?%:@!$&'()*+,;=~-._") if parts.query else ""
    return Target(parts._replace(fragment="").geturl(), tls, host, port or (443 if tls else 80), path + query)


def checked(target: Target, addresses: Sequence[str], allowed: frozenset[str]) -> list[str]:
    """The addresses to connect to: all of them, if each is public or `allowed`; else `ToolError`.

    One that is not public refuses the others too: a name that has both is made to get past a check.
    """
    read = [ip_address(each) for each in dict.fromkeys(addresses)]
    if not read or not all(str(each) in allowed or is_public(each) for each in read):
        raise _refused(one_line(target.url, 120), "it leads to no public address")
    return [str(each) for each in read]


def _host(host: str) -> str:
    if ":" in host:
        return str(IPv6Address(host))
    name = host.encode("idna").decode("ascii").lower().removesuffix(".")
    last = name.rpartition(".")[2]
    if last.isdigit() or last.startswith("0x"):  # WHATWG URL, "ends in a number": it must be a plain IPv4 address
        return str(IPv4Address(name))
    if not _NAME.fullmatch(name):
        raise ValueError(name)
    return name


def _refused(url: str, why: str) -> ToolError:
    return ToolError(f"{url} was not fetched: {why}. Give the http(s) address of a public page, or upload the image.")
