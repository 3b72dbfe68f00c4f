"""What a goal's text asks for: words to weigh files by, names worth a search, files it names; reads nothing else."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from agent.index.rank import words

MOST_WORDS = 96
"""Different words of a goal that are weighed: the ones repeated most, then the first."""
_REPEATED = 3
"""Times a word counts: measured on the 28 issues of `lexical`, 1 and 2 put fewer first, 5 fewer among three."""
_NAME = re.compile(r"\w*(?:_\w|[a-z][A-Z]|\d)\w*").fullmatch
_TERM = re.compile(r"[A-Za-z_][\w-]{2,}")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w+")
_FILE = re.compile(r"(?<![\w./\\@+-])[\w./\\@+-]+\.\w{1,8}(?![\w/])")  # tried once per run of such characters
_DEEP = 40  # folders of a path that is looked for
_FUNCTION = """
a about above after again all also am an and any are as at be because been before being below between both but by can
could did do does doing down during each few for from further had has have having he her here hers him his how i if in
into is it its itself just like me more most much my no nor not now of off on once one only or other our out over own
same she should so some such than that the their them then there these they this those through to too two under until
up us very was we were what when where which while who why will with without would you your
"""
_TASK = """
actual actually add bug call called calls case change code correct currently error errors example examples expected fail
failed failing fails false file files fix following get gets give given gives import instead issue line lines make makes
none please print problem py python raise raised raises repo reproduce result results return returned returns run
running self show shows test tests true try use used using value values want work works wrong
"""
COMMON = frozenset(f"{_FUNCTION} {_TASK}".split())
"""Words that tell no file from another: English function words, and what every issue says."""


def weights(goal: str) -> dict[str, int]:
    """Word -> how often it counts, the parts of joined names and the names themselves, for `lexical`."""
    found = Counter(words(goal))
    for name in _IDENTIFIER.findall(goal):
        found.update(part.lower() for part in name.split("_") if len(words(part)) > 1)
    told = {word: count for word, count in found.items() if len(word) > 1 and word not in COMMON}
    first = sorted(told, key=lambda word: -told[word])[:MOST_WORDS]
    return {word: min(told[word], _REPEATED) for word in first}


def patterns(goal: str) -> tuple[str, ...]:
    """Words of a goal worth a literal search, those that look like names first."""
    found = dict.fromkeys(_TERM.findall(goal))
    return tuple(sorted((one for one in found if one.lower() not in COMMON), key=lambda one: not _NAME(one)))


def named_files(text: str, tracked: Mapping[str, object]) -> Iterator[str]:
    """Tracked paths a text mentions, whatever stands before them: tracebacks name files from another root."""
    for mention in dict.fromkeys(_FILE.findall(text)):
        parts = mention.replace("\\", "/").split("/")[-_DEEP:]
        for start in range(len(parts)):
            path = "/".join(parts[start:])
            if path in tracked:
                yield path
                break
