"""What may be asked on behalf of a stranger's URL, and how such a URL is read."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memary_core.errors import ToolError
from memary_core.tools.addresses import checked, is_public, read_url

PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700:4700::1111", "64:ff9b::808:808"]
NOT_PUBLIC = [
    *("127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255"),
    *("192.168.0.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.1", "192.0.0.9", "192.0.0.192"),
    *("192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "192.88.99.1", "168.63.129.16"),
    *("224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1"),
    *("fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "ff0e::1"),
    *("2001:db8::1", "3fff::1", "2001::1", "2002:7f00:1::1", "2002:808:808::1", "100::1", "4000::1", "5f00::1"),
    *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808", "2606:4700::5efe:127.0.0.1"),
    *("2606:4700::200:5efe:10.0.0.1",),
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@given(st.integers(0, 2**32 - 1))
def test_an_address_wrapped_in_another_is_never_more_public(number: int) -> None:
    inner = IPv4Address(number)
    mapped, nat64 = IPv6Address((0xFFFF << 32) | number), IPv6Address((0x64FF9B << 96) | number)
    assert not is_public(mapped)
    assert is_public(nat64) == is_public(inner)
    assert not (is_public(inner) and (inner.is_private or inner.is_multicast or inner.is_loopback))


HOSTS_AS_NUMBERS = [
    *("2130706433", "017700000001", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "127.0.1", "0", "0x0"),
    *("127.0.0.0x1", "010.0.0.1", "127.0.0.1.0", "256.256.256.256", "1.2.3.4.5", "②①③⓪⑦⓪⑥④③③", "１２７.１"),
]
ODD = [
    *("ftp://example.com/a.png", "file:///etc/passwd", "gopher://example.com/", "data:image/png;base64,AA", "//a.com"),
    *("example.com/a.png", "", "http://", "http:///a", "http://:80/", "http://./", "http://.a.com/", "http://a..com/"),
    *("http://user@example.com/", "http://user:pw@example.com/", "http://example.com@127.0.0.1/", "http://@a.com/"),
    *("http://example.com\\@127.0.0.1/", "http:\\\\127.0.0.1\\", "http://exa mple.com/", "http://a.com/\r\nHost: b"),
    *("http://a.com/\x00", "http://a.com/\t", "http://127.0.0.1%2f@a.com/", "http://a%2ecom/", "http://a.com:99999/"),
    *("http://a.com:0x50/", "http://[::1", "http://[::1]a/", "http://[127.0.0.1]/", "http://[fe80::1%25eth0]x/"),
    *("http://[v1.a]/", "http://" + "a" * 64 + ".com/", "http://a.com/" + "a" * 5000, "http://a‮.com/", "http://a,b/"),
]


@pytest.mark.parametrize("host", HOSTS_AS_NUMBERS)
def test_a_host_written_as_a_number_is_refused(host: str) -> None:
    with pytest.raises(ToolError, match="was not fetched"):
        read_url(f"http://{host}/a.png")


@pytest.mark.parametrize("url", ODD, ids=range(len(ODD)))
def test_a_url_that_others_may_read_otherwise_is_refused(url: str) -> None:
    with pytest.raises(ToolError, match="was not fetched"):
        read_url(url)


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("http://example.com", "example.com", 80, "/"),
        ("HTTPS://Example.COM./a b".replace(" ", "%20"), "example.com", 443, "/a%20b"),
        ("https://example.com:8443/a.png?x=1&y=é#z", "example.com", 8443, "/a.png?x=1&y=%C3%A9"),
        ("http://bücher.example/ü.png", "xn--bcher-kva.example", 80, "/%C3%BC.png"),
        ("http://[2606:4700:4700::1111]:81/a", "2606:4700:4700::1111", 81, "/a"),
        ("http://127。0。0。1/", "127.0.0.1", 80, "/"),
        ("http://①②⑦.0.0.1/", "127.0.0.1", 80, "/"),
        ("http://[0:0:0:0:0:0:0:1]/", "::1", 80, "/"),
        ("http://1e100.net/", "1e100.net", 80, "/"),
    ],
)
def test_a_url_is_read_in_one_way(url: str, host: str, port: int, path: str) -> None:
    target = read_url(url)
    assert (target.host, target.port, target.path) == (host, port, path)
    assert target.tls == url.lower().startswith("https")


def test_a_name_with_one_address_that_is_not_public_is_refused() -> None:
    target = read_url("http://example.com/")
    assert checked(target, ["1.1.1.1", "8.8.8.8", "1.1.1.1"], frozenset()) == ["1.1.1.1", "8.8.8.8"]
    for found in ([], ["10.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["::1", "1.1.1.1"]):
        with pytest.raises(ToolError, match="no public address"):
            checked(target, found, frozenset())
    assert checked(target, ["10.0.0.1"], frozenset({"10.0.0.1"})) == ["10.0.0.1"]
