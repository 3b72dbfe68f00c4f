"""The hidden lines by which we find our own comments and our own part of a pull request again; no IO."""

import re

BEGIN = "<!-- bendcoder:begin -->"
END = "<!-- bendcoder:end -->"


def job(job_id: str) -> str:
    """First line of everything a job posts."""
    return f"<!-- bendcoder:job={job_id} -->"


def refusal(actor_id: int) -> str:
    """First line of a refusal: one person is told once per issue."""
    return f"<!-- bendcoder:refused={actor_id} -->"


def reply(comment_id: int) -> str:
    """First line of the answer to one command: each is answered once, whoever runs the job."""
    return f"<!-- bendcoder:reply={comment_id} -->"


def carries(body: str, marker: str) -> bool:
    """Whether a text starts with the marker; a quotation further down does not count."""
    return body.lstrip("\ufeff \r\n").startswith(marker)


def replace_block(body: str, block: str) -> str | None:
    """A pull request's body with our block renewed and every other character kept; None when our block is gone.

    Whoever removed or doubled the block took the text over: hands off. Only whole lines are markers: a test's name may
    hold the same words.
    """
    found = _block(body)
    return None if found is None else f"{found[0]}{BEGIN}\n{block.strip()}\n{END}{found[1]}"


def touched_outside(body: str, written: str) -> bool:
    """Whether a person changed the body outside our block since we wrote it."""
    return _outside(body) != _outside(written)


def _block(body: str) -> tuple[str, str] | None:
    """What stands before and after our block, None unless there is exactly one."""
    begins = [match.start() for match in re.finditer(f"^{BEGIN}[ \t\r]*$", body, re.MULTILINE)]
    ends = [match.start() for match in re.finditer(f"^{END}[ \t\r]*$", body, re.MULTILINE)]
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        return None
    return body[: begins[0]], body[ends[0] + len(END) :]


def _outside(body: str) -> str:
    plain = body.replace("\r\n", "\n")
    found = _block(plain)
    return plain.strip() if found is None else "".join(found).strip()
