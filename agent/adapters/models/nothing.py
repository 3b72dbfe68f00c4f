"""A Generate that writes nothing: shows that a run without drafts ends without a pull request and says why."""

from agent.ports import WriteRequest, Written


class NothingGenerator:
    """`agent.ports.Generator` without a single draft."""

    label = "nothing (writes no drafts)"
    repairs = False
    prose = False
    room = 0

    def write(self, request: WriteRequest, n: int) -> Written:
        """Return no draft, whatever is asked."""
        wanted = "text" if request.anchor is None else f"{n} drafts for {request.anchor.path}"
        return Written(drafts=(), model="nothing", note=f"asked for {wanted}; this backend writes none")
