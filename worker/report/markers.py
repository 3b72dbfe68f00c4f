"""The hidden lines by which we find our own comments and our own part of a pull request again; no IO."""

BEGIN = "<!-- bendcoder:begin -->"
END = "<!-- bendcoder:end -->"


def job(job_id: str) -> str:
    """First line of everything a job posts."""
    return f"<!-- bendcoder:job={job_id} -->"


def refusal(actor_id: int) -> str:
    """First line of a refusal: one person is told once per issue."""
    return f"<!-- bendcoder:refused={actor_id} -->"


def carries(body: str, marker: str) -> bool:
    """Whether a text starts with the marker; a quotation further down does not count."""
    return body.lstrip("\ufeff \r\n").startswith(marker)


def replace_block(body: str, block: str) -> str | None:
    """A pull request's body with our block renewed and every other character kept; None when our block is gone.

    Whoever removed or doubled the block took the text over: hands off.
    """
    if body.count(BEGIN) != 1 or body.count(END) != 1 or body.index(BEGIN) > body.index(END):
        return None
    head, rest = body.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    return f"{head}{BEGIN}\n{block.strip()}\n{END}{tail}"


def touched_outside(body: str, written: str) -> bool:
    """Whether a person changed the body outside our block since we wrote it."""
    return _outside(body) != _outside(written)


def _outside(body: str) -> str:
    plain = body.replace("\r\n", "\n")
    if BEGIN not in plain or END not in plain:
        return plain.strip()
    return (plain.split(BEGIN, 1)[0] + plain.rsplit(END, 1)[1]).strip()
