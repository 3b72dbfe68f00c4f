"""What one run remembers between its steps; must not decide anything and is never sent to a model as it is."""

from dataclasses import dataclass, field

from agent.domain.action import Observation, Refusal
from agent.domain.edit import Anchor, Draft
from agent.domain.suite import Spectrum, SuiteRun
from agent.domain.thresholds import SUITE_RESERVE
from agent.index.localise import Suspect
from agent.loop.plan import Item
from agent.prompts.material import Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A draft on disk that is not kept: provisional, or broken and waiting for repair."""

    path: str
    spot: str
    """The first and last line the edit was asked for, as `12-30`, or `free`: its name in guards and trace."""
    anchor: Anchor | None
    """Where the draft's bytes stand now; None when that is not one place."""
    original: Anchor | None
    """What they replaced."""
    broken: bool
    output: str = ""
    """What the failing check or tests said."""
    note: str = ""
    """What Generate said of the call that wrote it, such as how many drafts passed screening."""
    files: tuple[str, ...] = ()
    """Every file the draft touches."""
    rivals: int = 0
    """Other candidates that passed the same tests as this draft."""
    differ: int = 0
    """In how many other ways they behave on what these tests exercise."""


@dataclass(slots=True, kw_only=True)
class Notebook:
    """The loop's own bookkeeping; lists grow at the end."""

    observations: list[Observation] = field(default_factory=list)
    hits: list[Observation] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    """Actions performed so far, in order."""
    reading: dict[str, int] = field(default_factory=dict)
    """Path -> next line to serve."""
    finished: set[str] = field(default_factory=set)
    """Paths read to their end and not changed since."""
    searched: set[str] = field(default_factory=set)
    want: str = ""
    """The file a refused edit named; the next read serves it."""
    changed: list[str] = field(default_factory=list)
    verification: str = "unknown"
    baseline: SuiteRun | None = None
    good: frozenset[str] = frozenset()
    """Tests that passed on the base or at a kept state: none of them may fail."""
    red: frozenset[str] = frozenset()
    """Tests red on the base that no kept edit has fixed yet."""
    focus: frozenset[str] = frozenset()
    """Those of the red tests that the goal is about, as far as its words tell."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Test id -> seconds on the base."""
    spectrum: Spectrum = field(default_factory=Spectrum)
    suspects: tuple[Suspect, ...] = ()
    heat: dict[str, dict[int, float]] = field(default_factory=dict)
    """Path -> line -> suspiciousness 0..1."""
    tried: list[tuple[str, str]] = field(default_factory=list)
    """Path and spot of edits that came to nothing since the last kept one."""
    waiting: dict[tuple[str, str], list[Draft]] = field(default_factory=dict)
    """Drafts of a spot that were written but not tried yet."""
    unusable: dict[tuple[str, str], int] = field(default_factory=dict)
    """Path and spot -> drafts of it that could not be applied since the last kept edit."""
    reds: dict[tuple[str, str], int] = field(default_factory=dict)
    """Path and spot -> edits of it that a full suite refused since the last kept one."""
    second: list[tuple[str, str]] = field(default_factory=list)
    """Path and spot that deserve a second look: the search ran out of time, or no draft passed every red test where the
    goal's own are fewer."""
    narrowing: bool = False
    """Every suspect was tried in vain: second looks go on where the first stopped, for the goal's own tests alone."""
    unavailable: dict[str, str] = field(default_factory=dict)
    standing: Standing | None = None
    written: tuple[str, ...] = ()
    """Test files this run wrote before its first edit; none of them may change any more."""
    plan: tuple[Item, ...] = ()
    languages: tuple[str, ...] | None = None
    """Of the repository, the commonest first; None until somebody asks."""
    attempts: list[Attempt] = field(default_factory=list)
    """Drafts that came to nothing since the last kept edit."""
    stale: dict[str, int] = field(default_factory=dict)
    """Path -> how many observations there were when it last changed."""
    failures: dict[str, str] = field(default_factory=dict)
    """Red test -> what it said when it was last seen red."""
    kept: list[str] = field(default_factory=list)
    """`path:spot` of kept edits."""
    undecided: int = 0
    """Most candidates for one kept edit that the tests do not tell apart though they behave differently."""
    notes: list[str] = field(default_factory=list)
    """What a reviewer should know of how kept edits were found."""
    swaps: list[tuple[str, bytes, bytes]] = field(default_factory=list)
    """Per kept edit: path, the bytes it replaced, the bytes it put there; both empty when it cannot be taken back."""
    last_good: object = None
    """The workspace's token of the last kept state."""
    refusals: list[Refusal] = field(default_factory=list)
    answer: str = ""
    seen: set[str] = field(default_factory=set)
    """Digests of observations, to tell new evidence from old."""

    @property
    def untried(self) -> tuple[Suspect, ...]:
        """Suspects no edit was asked of since the last kept one; an edit that begins where one does is of that one.

        Its end may differ: what Classify is shown of a long one ends before it does.
        """
        begun = {(path, spot.partition("-")[0]) for path, spot in self.tried}
        return tuple(one for one in self.suspects if (one.path, str(one.begin)) not in begun)

    @property
    def reserve(self) -> float:
        """Seconds kept back for the suite that an edit needs before it is kept."""
        return SUITE_RESERVE * (self.baseline.seconds if self.baseline else 0.0)

    def refuse(self, refusal: Refusal) -> None:
        """Remember a refusal once, and at most 200 of them."""
        if refusal not in self.refusals and len(self.refusals) < 200:
            self.refusals.append(refusal)
