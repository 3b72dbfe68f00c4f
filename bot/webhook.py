"""From raw bytes and headers to a Delivery that is proven to come from the forge; no IO.

The signature covers the bytes as they came: nothing is decoded before it fits.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic_core import from_json

from bot.errors import Malformed, NotJson, NotSigned, TooLarge

MAX_BYTES = 25 * 1024 * 1024
"""The forge sends no payload larger than this."""

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)
_HEX_256 = re.compile(r"sha256=([0-9a-fA-F]{64})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One webhook POST; a redelivery carries the same `id`."""

    id: str
    event: str
    payload: Mapping[str, object]


def read(headers: Mapping[str, str], body: bytes, secrets: Sequence[bytes]) -> Delivery:
    """The delivery behind these bytes. Raises a Refused with the status to answer.

    `headers` are looked up in lower case;
    `secrets` are tried in turn, so that a new one can be taken up while deliveries signed with the old are under way.
    """
    if len(body) > MAX_BYTES:
        raise TooLarge(f"The body is larger than {MAX_BYTES} bytes. Nothing was recorded.")
    _check_signature(headers.get("x-hub-signature-256", ""), body, secrets)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise NotJson("Set the webhook's content type to application/json. Nothing was recorded.")
    event = headers.get("x-github-event", "")
    delivery = headers.get("x-github-delivery", "")
    if not _NAME.fullmatch(event) or not _NAME.fullmatch(delivery):
        raise Malformed("X-GitHub-Event and X-GitHub-Delivery must name an event and a delivery. Nothing was recorded.")
    return Delivery(id=delivery, event=event, payload=_object(body))


def sign(body: bytes, secret: bytes) -> str:
    """The signature header of a body."""
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def _check_signature(header: str, body: bytes, secrets: Sequence[bytes]) -> None:
    given = _HEX_256.fullmatch(header)
    digest = given.group(1).lower().encode() if given else b""
    # Every secret is tried, so that the time taken does not tell which one fitted; an empty one would sign for anybody.
    fits = [hmac.compare_digest(sign(body, secret)[7:].encode(), digest) for secret in secrets if secret]
    if not any(fits):
        raise NotSigned("X-Hub-Signature-256 does not fit the body and this service's secret. Nothing was recorded.")


def _object(body: bytes) -> Mapping[str, object]:
    try:
        value = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise Malformed("The body is not JSON. Nothing was recorded.") from error
    if not isinstance(value, dict):
        raise Malformed("The body is not a JSON object. Nothing was recorded.")
    return value
