"""Where set-up may connect to: only addresses of the open internet, however they are written or disguised."""

import ipaddress
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.adapters.sandbox.egress import Destinations, upstream_of
from agent.adapters.sandbox.egress.destinations import Refusal, is_public
from agent.errors import SandboxError

PUBLIC = [
    "1.1.1.1",
    "140.82.121.4",
    "223.255.255.254",
    "2606:4700::1111",
    "2a00:1450:4001:81b::200e",
    "64:ff9b::101:101",
]
NOT_PUBLIC = [
    *("127.0.0.1", "127.8.9.1", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"),  # noqa: S104
    *("169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1"),
    *("198.51.100.7", "203.0.113.7", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:1.1.1.1", "::ffff:0:127.0.0.1", "fe80::1", "fe80::1%eth0"),
    *(
        "fc00::1",
        "fd00:ec2::254",
        "fec0::1",
        "ff02::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "3fff::1",
        "5f00::1",
    ),
    *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::101:101", "100::1", "4000::1"),
    *("", "localhost", "1.1.1.1.", "0x7f000001", "1.1.1.1 ", "2606:4700::1111%1"),
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_not_public(address: str) -> None:
    assert not is_public(address)


@given(st.ip_addresses())
def test_nothing_public_is_special_in_any_of_the_registries(address: ipaddress.IPv4Address) -> None:
    if is_public(str(address)):
        special = ("is_private", "is_loopback", "is_link_local", "is_multicast", "is_unspecified")
        assert [name for name in special if getattr(address, name)] == []


@given(st.ip_addresses(v=4))
def test_an_address_in_disguise_is_as_good_as_itself(address: ipaddress.IPv4Address) -> None:
    assert is_public(f"64:ff9b::{address}") == is_public(str(address))
    assert not is_public(f"::ffff:{address}")
    assert not is_public(f"::{address}")


def resolver(*addresses: str) -> Destinations:
    return Destinations(resolve=lambda host, port: list(addresses))


def test_the_addresses_that_were_checked_come_back() -> None:
    assert resolver("1.1.1.1", "2606:4700::1111").addresses("one.example", 443) == ("1.1.1.1", "2606:4700::1111")


def test_one_bad_address_condemns_the_name() -> None:
    found = resolver("1.1.1.1", "10.0.0.7").addresses("rebinding.example", 443)
    assert found == Refusal(reason="it resolves to 10.0.0.7, which is not a public address")


@pytest.mark.parametrize("port", [22, 25, 81, 3128, 6379, 8080, 8443])
def test_only_the_webs_ports(port: int) -> None:
    assert resolver("1.1.1.1").addresses("one.example", port) == Refusal(reason=f"port {port} is none of 80, 443")


def test_a_name_is_looked_up_once() -> None:
    asked: list[str] = []

    def changing(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["1.1.1.1"] if len(asked) == 1 else ["127.0.0.1"]

    assert Destinations(resolve=changing).addresses("changing.example", 80) == ("1.1.1.1",)
    assert asked == ["changing.example"]


@pytest.mark.parametrize("error", [socket.gaierror(-2, "unknown"), UnicodeError("label too long"), TimeoutError()])
def test_a_name_that_is_not_known(error: Exception) -> None:
    def failing(host: str, port: int) -> list[str]:
        raise error

    assert isinstance(Destinations(resolve=failing).addresses("x.example", 80), Refusal)
    assert isinstance(resolver().addresses("x.example", 80), Refusal)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "localhost", "::1"])
def test_every_spelling_of_this_machine_is_refused_by_the_systems_resolver(host: str) -> None:
    assert isinstance(Destinations().addresses(host, 80), Refusal)


def test_an_exception_is_for_one_name_and_one_port() -> None:
    rules = Destinations(resolve=lambda host, port: ["127.0.0.1"], also=(("files.example", 8123),))
    assert rules.addresses("files.example", 8123) == ("127.0.0.1",)
    for host, port in (("files.example", 80), ("other.example", 8123), ("127.0.0.1", 8123)):
        assert isinstance(rules.addresses(host, port), Refusal)


def test_the_operators_own_proxy() -> None:
    assert upstream_of("") is None
    plain = upstream_of("http://proxy.example:3128/")
    assert plain is not None
    assert (plain.host, plain.port, plain.authorization) == ("proxy.example", 3128, "")
    named = upstream_of("http://ada:p%40ss@proxy.example:3128")
    assert named is not None
    assert named.authorization == "Basic YWRhOnBAc3M="
    assert "YWRh" not in repr(named)
    bare = upstream_of("proxy.example:8080")
    assert bare is not None
    assert (bare.host, bare.port) == ("proxy.example", 8080)


@pytest.mark.parametrize(
    "address", ["https://u:hunter2@proxy", "socks5://u:hunter2@proxy", "http://", "http://u:hunter2@p:x"]
)
def test_a_proxy_we_cannot_use_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(SandboxError, match="HTTPS_PROXY") as caught:
        upstream_of(address)
    assert "hunter2" not in str(caught.value)
