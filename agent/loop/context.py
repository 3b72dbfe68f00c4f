"""What every part of one run is handed: task, ports and the run's own memory; must not know what a step does."""

import hashlib
from dataclasses import dataclass

from agent.domain.action import Observation
from agent.domain.answers import Classified, Question
from agent.domain.task import Options, Task
from agent.guards.events import EVIDENCE, Event
from agent.guards.paths import PathRules
from agent.loop.listing import Listing
from agent.loop.meter import Meter
from agent.loop.notebook import Notebook
from agent.loop.rules import Rules
from agent.loop.state import state_of
from agent.ports import Ports, WriteRequest, Written
from agent.records import read_back, written_down
from agent.verify.verifier import Verifier


@dataclass(slots=True, kw_only=True)
class Context:
    """One run."""

    task: Task
    options: Options
    ports: Ports
    verifier: Verifier
    paths: PathRules
    rules: Rules
    meter: Meter
    book: Notebook
    listing: Listing

    def trace(self, kind: str, **data: object) -> None:
        """Record an event of the present step."""
        self.ports.trace.emit(kind, self.meter.steps, data)

    def ask(self, questions: dict[str, Question]) -> Classified:
        """One Classify call about the present state, counted and recorded."""
        about = ", ".join(sorted(questions))
        answered = read_back(Classified, self.ports.trace.recall("classify", about))
        if answered is None:
            state = state_of(self.task.goal, self.listing.ranked(), self.book, self.meter)
            answered = self.ports.classifier.ask(state, questions)
        self.meter.classify_calls += 1
        self.meter.pay(answered.tokens, answered.money)
        self.trace(
            "classify",
            about=about,
            model=answered.model,
            tokens=answered.tokens,
            seconds=answered.seconds,
            answers={name: repr_of(answer) for name, answer in answered.answers.items()},
            notes=answered.notes,
            record=written_down(answered),
        )
        return answered

    def write(self, request: WriteRequest, n: int, *, path: str = "", lines: str = "") -> Written:
        """One Generate call, counted and recorded; `path` and `lines` say what it is for."""
        about = " ".join(word for word in (request.role, path, lines) if word)
        written = read_back(Written, self.ports.trace.recall("generate", about))
        if written is None:
            written = self.ports.generator.write(request, n)
        self.meter.generate_calls += 1
        self.meter.pay(written.tokens, written.money)
        self.trace(
            "generate",
            about=about,
            role=request.role,
            path=path,
            lines=lines,
            model=written.model,
            drafts=len(written.drafts),
            tokens=written.tokens,
            seconds=written.seconds,
            stop=written.stop,
            note=written.note,
            record=written_down(written),
        )
        return written

    def note(
        self, label: str, text: str, *, hit: bool = False, path: str = "", begin: int = 0, end: int = 0
    ) -> tuple[Event, ...]:
        """Keep an observation, with the span of a file it shows; returns the evidence event when it is a new one."""
        entry = Observation(label=label, text=text, path=path, begin=begin, end=end)
        self.book.observations.append(entry)
        if hit:
            self.book.hits.append(entry)
        digest = hashlib.sha256(f"{label}\0{text}".encode(errors="replace")).hexdigest()
        fresh = digest not in self.book.seen
        self.book.seen.add(digest)
        return (Event(EVIDENCE, {"label": label}),) if fresh else ()


def repr_of(answer: object) -> dict[str, object]:
    """An answer for the trace: its fields, probabilities rounded and the twenty greatest only."""
    fields = {name: getattr(answer, name) for name in getattr(answer, "__slots__", ())}
    chances = fields.get("probabilities")
    if isinstance(chances, dict):
        best = sorted(chances.items(), key=lambda pair: -pair[1])[:20]
        fields["probabilities"] = {name: round(chance, 4) for name, chance in best}
    return {"type": type(answer).__name__, **fields}
