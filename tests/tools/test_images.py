"""Images from the web over real connections: what is fetched, and everything that is not."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from memary_core.errors import ToolError
from memary_core.tools.images import MAX_BYTES, Image, ImageFetcher, image
from tests.conftest import missing
from tests.tools.site import PNG, Reply, Site, picture, redirect, serving, unused_port

JPEG, GIF, WEBP = b"\xff\xd8\xff\xe0" + bytes(20), b"GIF89a" + bytes(20), b"RIFF\x10\0\0\0WEBPVP8 " + bytes(20)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
LOOPBACK = ("127.0.0.1",)


class Names:
    """A resolver by table; each name gives its next answer each time, and the last one from then on."""

    def __init__(self, **answers: list[list[str]]) -> None:
        self._answers = {name.replace("_", "."): answer for name, answer in answers.items()}
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        answers = self._answers.get(host)
        if answers is None:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return answers.pop(0) if len(answers) > 1 else answers[0]


@pytest.fixture
def fetcher() -> ImageFetcher:
    return ImageFetcher(timeout=5, allowed_for_tests=LOOPBACK)


@pytest.mark.parametrize(
    ("body", "kind"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (GIF, "image/gif"), (WEBP, "image/webp")]
)
def test_an_image_comes_whole_with_the_type_its_bytes_show(
    site: Site, fetcher: ImageFetcher, body: bytes, kind: str
) -> None:
    url = site.serve("/a", picture(body, "image/x-anything; q=1"))
    assert fetcher.fetch(f" {url}?size=1 ") == Image(body, kind, f"{url}?size=1")
    [asked] = site.asked
    assert (asked.method, asked.path, asked.headers["Host"]) == ("GET", "/a?size=1", f"127.0.0.1:{site.port}")


def test_an_image_without_a_length_comes_whole(site: Site, fetcher: ImageFetcher) -> None:
    assert fetcher.fetch(site.serve("/a", picture(PNG * 5000, length=-1))).data == PNG * 5000


@pytest.mark.parametrize(
    "reply",
    [
        picture(SVG, "image/svg+xml"),
        picture(SVG, "image/png"),
        picture(b"<html>", "image/png"),
        picture(b"", "image/png"),
        picture(PNG, "text/html"),
        picture(PNG, "application/octet-stream"),
        Reply(PNG),
        picture(PNG, headers={"Content-Encoding": "gzip"}),
    ],
)
def test_what_is_no_image_by_name_and_by_bytes_is_refused(site: Site, fetcher: ImageFetcher, reply: Reply) -> None:
    with pytest.raises(ToolError, match="is not a PNG, JPEG, GIF or WebP image"):
        fetcher.fetch(site.serve("/a", reply))


@pytest.mark.parametrize("reply", [picture(PNG, length=MAX_BYTES + 1), picture(PNG + bytes(MAX_BYTES), length=-1)])
def test_an_image_over_ten_megabytes_is_refused(site: Site, fetcher: ImageFetcher, reply: Reply) -> None:
    with pytest.raises(ToolError, match="larger than 10 MB"):
        fetcher.fetch(site.serve("/a", reply))


def test_an_image_of_just_ten_megabytes_is_taken(site: Site, fetcher: ImageFetcher) -> None:
    body = PNG + bytes(MAX_BYTES - len(PNG))
    assert len(fetcher.fetch(site.serve("/a", picture(body))).data) == MAX_BYTES


def test_an_image_that_breaks_off_is_refused(site: Site, fetcher: ImageFetcher) -> None:
    with pytest.raises(ToolError, match="broke off"):
        fetcher.fetch(site.serve("/a", picture(PNG, length=len(PNG) + 1)))


@pytest.mark.parametrize("status", [204, 300, 304, 403, 404, 500])
def test_a_status_that_is_no_success_is_said(site: Site, fetcher: ImageFetcher, status: int) -> None:
    with pytest.raises(ToolError, match=f"status {status}"):
        fetcher.fetch(site.serve("/a", Reply(status=status)))


@pytest.mark.parametrize(
    "reply",
    [Reply(silent=True), picture(drips="head"), picture(length=-1, drips="body"), picture(length=9**6, drips="body")],
)
def test_a_server_that_takes_its_time_is_cut_off(site: Site, reply: Reply) -> None:
    fetcher = ImageFetcher(timeout=0.3, allowed_for_tests=LOOPBACK)
    with pytest.raises(ToolError, match="did not come in time"):
        fetcher.fetch(site.serve("/a", reply))


def test_what_cannot_be_reached_is_said(fetcher: ImageFetcher) -> None:
    with pytest.raises(ToolError, match="the connection failed"):
        fetcher.fetch(f"http://127.0.0.1:{unused_port()}/a.png")
    with pytest.raises(ToolError, match="no such host"):
        ImageFetcher(resolver=Names()).fetch("http://nowhere.test/a.png")


def test_a_server_that_speaks_no_http_is_said(fetcher: ImageFetcher) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.png"
        server.settimeout(5)

        def talk() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"SSH-2.0-OpenSSH\r\n")

        thread = Thread(target=talk)
        thread.start()
        with pytest.raises(ToolError, match="the connection failed"):
            fetcher.fetch(url)
        thread.join()


# Where a URL may lead


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "LOCALHOST.", "0.0.0.0", "127.1", "2130706433", "0x7f000001", "0177.0.0.1"),
        *("[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]"),
        *("①②⑦.⓪.⓪.①", "127。0。0。1", "[0:0:0:0:0:0:0:1]"),
    ],
)
def test_without_the_allowance_nothing_here_is_asked(site: Site, host: str) -> None:
    site.serve("/a", picture())
    with pytest.raises(ToolError, match="was not fetched"):
        ImageFetcher(timeout=5).fetch(f"http://{host}:{site.port}/a")
    assert site.asked == []


@pytest.mark.parametrize(
    "found", [["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["::1"], ["::ffff:127.0.0.1"], ["1.1.1.1", "127.0.0.1"]]
)
def test_a_name_that_leads_here_is_not_asked(site: Site, found: list[str]) -> None:
    site.serve("/a", picture())
    with pytest.raises(ToolError, match="no public address"):
        ImageFetcher(timeout=5, resolver=Names(pictures_test=[found])).fetch(f"http://pictures.test:{site.port}/a")
    assert site.asked == []


def test_the_address_that_was_checked_is_the_one_connected_to(site: Site) -> None:
    """Rebinding: the name would lead elsewhere if it were asked again."""
    names = Names(pictures_test=[["127.0.0.1"], ["127.0.0.2"]])
    fetcher = ImageFetcher(timeout=5, resolver=names, allowed_for_tests=LOOPBACK)
    site.serve("/a", picture())
    assert fetcher.fetch(f"http://pictures.test:{site.port}/a").data == PNG
    assert names.asked == ["pictures.test"]
    assert site.asked[0].headers["Host"] == f"pictures.test:{site.port}"


def test_a_name_is_checked_again_at_each_redirect(site: Site) -> None:
    names = Names(pictures_test=[["127.0.0.1"], ["127.0.0.2"]])
    fetcher = ImageFetcher(timeout=5, resolver=names, allowed_for_tests=LOOPBACK)
    site.serve("/a", redirect("/b"))
    site.serve("/b", picture())
    with pytest.raises(ToolError, match="no public address"):
        fetcher.fetch(f"http://pictures.test:{site.port}/a")
    assert [each.path for each in site.asked] == ["/a"]


def test_the_next_address_is_tried_where_one_does_not_answer(site: Site) -> None:
    names = Names(pictures_test=[["127.0.0.2", "127.0.0.1"]])
    fetcher = ImageFetcher(timeout=5, resolver=names, allowed_for_tests=("127.0.0.1", "127.0.0.2"))
    site.serve("/a", picture())
    assert fetcher.fetch(f"http://pictures.test:{site.port}/a").data == PNG


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_three_redirects_are_followed_and_no_fourth(site: Site, fetcher: ImageFetcher, status: int) -> None:
    site.serve("/0", redirect("/1", status))
    site.serve("/1", redirect("2", status))
    site.serve("/2", redirect(f"{site.url}/3", status))
    site.serve("/3", picture())
    assert fetcher.fetch(f"{site.url}/0").name == f"{site.url}/3"
    site.serve("/3", redirect("/4", status))
    site.serve("/4", picture())
    with pytest.raises(ToolError, match="more than 3 times"):
        fetcher.fetch(f"{site.url}/0")
    assert "/4" not in {each.path for each in site.asked}


@pytest.mark.parametrize(
    "to",
    [
        *(
            "http://127.0.0.2:{port}/b",
            "http://localhost.:{port}/b",
            "//[::1]:{port}/b",
            "http://[::ffff:127.0.0.1]:{port}/b",
        ),
        *(
            "http://2130706433:{port}/b",
            "http://0x7f.1:{port}/b",
            "http://0:{port}/b",
            "http://169.254.169.254/latest/",
        ),
        *(
            "file:///etc/passwd",
            "ftp://127.0.0.1:{port}/b",
            "http://a@127.0.0.1:{port}/b",
            "gopher://127.0.0.1:{port}/b",
        ),
        *("http://127.0.0.1\\@127.0.0.2:{port}/b", "data:image/png;base64,iVBORw0KGgo="),
    ],
)
def test_no_redirect_leads_where_a_url_may_not(site: Site, to: str) -> None:
    names = Names(**{"localhost": [["127.0.0.2"]]})
    fetcher = ImageFetcher(timeout=5, resolver=names, allowed_for_tests=LOOPBACK)
    site.serve("/a", redirect(to.format(port=site.port)))
    site.serve("/b", picture())
    with pytest.raises(ToolError, match="was not fetched"):
        fetcher.fetch(f"{site.url}/a")
    assert [each.path for each in site.asked] == ["/a"]


def test_a_redirect_without_an_address_is_said(site: Site, fetcher: ImageFetcher) -> None:
    with pytest.raises(ToolError, match="status 302"):
        fetcher.fetch(site.serve("/a", Reply(status=302)))


# TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for pictures.test, and its key."""
    if shutil.which("openssl") is None:
        missing("openssl", "the openssl program makes the certificate of this test.")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=pictures.test"),
            *("-addext", "subjectAltName=DNS:pictures.test", "-keyout", "key.pem", "-out", "cert.pem"),
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture
def secure(certificate: tuple[Path, Path]) -> Iterator[tuple[Site, list[str | None]]]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    names: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    with serving(context) as site:
        yield site, names


@pytest.fixture
def trusting(certificate: tuple[Path, Path]) -> Callable[..., ImageFetcher]:
    def make(**names: list[list[str]]) -> ImageFetcher:
        trusted = ssl.create_default_context(cafile=str(certificate[0]))
        return ImageFetcher(timeout=5, resolver=Names(**names), allowed_for_tests=LOOPBACK, tls=trusted)

    return make


def test_over_tls_the_name_is_kept_and_the_certificate_checked(
    secure: tuple[Site, list[str | None]], trusting: Callable[..., ImageFetcher]
) -> None:
    site, names = secure
    site.serve("/a", picture())
    fetcher = trusting(pictures_test=[["127.0.0.1"]], other_test=[["127.0.0.1"]])
    assert fetcher.fetch(f"https://pictures.test:{site.port}/a").data == PNG
    assert names == ["pictures.test"]
    assert site.asked[0].headers["Host"] == f"pictures.test:{site.port}"
    for host in ("other.test", "127.0.0.1"):
        with pytest.raises(ToolError, match="no secure connection"):
            fetcher.fetch(f"https://{host}:{site.port}/a")
    with pytest.raises(ToolError, match="no secure connection"):
        ImageFetcher(timeout=5, resolver=Names(pictures_test=[["127.0.0.1"]]), allowed_for_tests=LOOPBACK).fetch(
            f"https://pictures.test:{site.port}/a"
        )
    assert len(site.asked) == 1


def test_over_tls_a_slow_body_is_cut_off(secure: tuple[Site, list[str | None]], certificate: tuple[Path, Path]) -> None:
    site, _ = secure
    site.serve("/a", picture(length=-1, drips="body"))
    fetcher = ImageFetcher(
        timeout=0.5,
        resolver=Names(pictures_test=[["127.0.0.1"]]),
        allowed_for_tests=LOOPBACK,
        tls=ssl.create_default_context(cafile=str(certificate[0])),
    )
    with pytest.raises(ToolError, match="did not come in time"):
        fetcher.fetch(f"https://pictures.test:{site.port}/a")


# Uploads


def test_an_upload_is_an_image_by_its_bytes() -> None:
    assert image(PNG, "cat.png") == Image(PNG, "image/png", "cat.png")
    assert repr(PNG) not in repr(image(PNG, "cat.png"))
    for data, name in ((SVG, "cat.svg"), (b"", "cat.png"), (b"\x89PNG", "cat.png")):
        with pytest.raises(ToolError, match="is not a PNG"):
            image(data, name)
    with pytest.raises(ToolError, match="larger than 10 MB"):
        image(PNG + bytes(MAX_BYTES), "cat.png")
