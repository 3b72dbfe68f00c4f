"""Refusals in GitHub's own words, as one exception type; must not decide when to refuse."""

DOCS = "https://docs.github.com/rest"

Json = dict[str, object]


class Problem(Exception):
    """An answer other than success: `status`, JSON `body` and extra `headers`, as GitHub would send them."""

    def __init__(self, status: int, body: Json, headers: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(status, body, headers)
        self.status = status
        self.body = body
        self.headers = headers


def refusal(status: int, message: str, **headers: str) -> Problem:
    """A body with `message` and `documentation_url`; header names are written with underscores."""
    body: Json = {"message": message, "documentation_url": DOCS, "status": str(status)}
    return Problem(status, body, tuple((name.replace("_", "-"), value) for name, value in headers.items()))


def not_found() -> Problem:
    """404: unknown, or outside what the token may see (GitHub does not tell the two apart)."""
    return refusal(404, "Not Found")


def bad_credentials() -> Problem:
    """401: token expired, revoked or never issued."""
    return refusal(401, "Bad credentials")


def forbidden(accepted: str) -> Problem:
    """403: the token sees the repository but lacks the permission; `accepted` names what would do."""
    return refusal(403, "Resource not accessible by integration", x_accepted_github_permissions=accepted)


def invalid(resource: str, code: str, *, field: str | None = None, message: str | None = None) -> Problem:
    """422 Validation Failed with one entry in `errors`."""
    error: Json = {"resource": resource, "code": code}
    if field is not None:
        error["field"] = field
    if message is not None:
        error["message"] = message
    body: Json = {"message": "Validation Failed", "errors": [error], "documentation_url": DOCS, "status": "422"}
    return Problem(422, body)
