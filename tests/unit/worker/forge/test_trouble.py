"""What GitHub's failures mean to us, whatever shape they come in."""

import httpx
import pytest
from githubkit import GitHub
from githubkit.exception import RequestError, RequestFailed, RequestTimeout
from githubkit.response import Response

from worker.errors import ForgeDenied, ForgeError, ForgeGone, ForgeInvalid, ForgeUnavailable
from worker.forge.trouble import Sort, understand

REQUEST = httpx.Request("GET", "https://api.example/x")


def answered(status: int, body: object = None, *, text: str | None = None, **headers: str) -> RequestFailed:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    content = {"text": text} if text is not None else {"json": body}
    return RequestFailed(Response(httpx.Response(status, headers=names, request=REQUEST, **content), object))


@pytest.mark.parametrize(
    ("error", "sort", "kind"),
    [
        (answered(401, {"message": "Bad credentials"}), Sort.UNAUTHORISED, ForgeDenied),
        (RequestError(answered(401, {"message": "Bad credentials"})), Sort.UNAUTHORISED, ForgeDenied),
        (answered(403, {"message": "no"}), Sort.FINAL, ForgeDenied),
        (answered(403, {"message": "You have exceeded a secondary rate limit"}), Sort.LIMITED, ForgeUnavailable),
        (answered(429, {"message": "slow"}), Sort.LIMITED, ForgeUnavailable),
        (answered(404, {"message": "Not Found"}), Sort.FINAL, ForgeGone),
        (answered(410, {"message": "deleted"}), Sort.FINAL, ForgeGone),
        (answered(422, {"message": "Validation Failed"}), Sort.FINAL, ForgeInvalid),
        (answered(409, {"message": "conflict"}), Sort.FINAL, ForgeError),
        (answered(502, text="<html>Bad Gateway</html>"), Sort.BROKEN, ForgeUnavailable),
        (RequestTimeout(httpx.ReadTimeout("late", request=REQUEST)), Sort.BROKEN, ForgeUnavailable),
        (RequestError(httpx.ConnectError("refused")), Sort.BROKEN, ForgeUnavailable),
        (RequestError(ConnectionResetError()), Sort.BROKEN, ForgeUnavailable),
        (ValueError("invalid literal for int()"), Sort.LIMITED, ForgeUnavailable),
        (RequestError(KeyError("x")), Sort.FINAL, ForgeError),
    ],
)
def test_every_failure_has_one_meaning(error, sort, kind):
    trouble = understand(error)
    assert trouble.sort is sort
    assert type(trouble.error) is kind
    assert str(trouble.error.args[0]).endswith(".")


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ([{"message": "No commits between main and x"}], "No commits between main and x"),
        ([{"resource": "Issue", "field": "body", "code": "invalid"}], "Issue body invalid"),
        (["just a word"], "just a word"),
        ("a string", "a string"),
        ([], "Validation Failed"),
    ],
)
def test_githubs_own_words_are_kept_in_any_of_their_shapes(errors, words):
    trouble = understand(answered(422, {"message": "Validation Failed", "errors": errors}))
    assert words in str(trouble.error)


@pytest.mark.parametrize("body", ["text", ["list"], 5])
def test_a_body_that_is_no_object_does_not_break_the_handler(body):
    assert isinstance(understand(answered(422, body)).error, ForgeInvalid)


def test_what_a_limit_says_is_how_long_we_wait():
    github = GitHub("t", auto_retry=False, http_cache=False)
    response = httpx.Response(403, json={"message": "x"}, headers={"retry-after": "7"}, request=REQUEST)
    with pytest.raises(RequestFailed) as caught:
        github._check(response)
    trouble = understand(caught.value)
    assert (trouble.sort, trouble.wait, trouble.error.args[1]) == (Sort.LIMITED, 7.0, 7.0)
