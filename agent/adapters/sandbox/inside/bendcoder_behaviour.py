"""What a draft's file does in a test, seen from outside the file, as one short word. Stdlib only; judges nothing.

While a test runs, each call that enters the file from elsewhere and reaches the anchored lines is noted: what it gives
back, yields or raises, and, where it enters at those lines, which of its arguments it changed. Equal words mean that
nothing the test did told two drafts apart. Numbers that are equal count as equal whatever their type; addresses and
the order of sets do not count.
"""

import contextlib
import hashlib
import os
import re
import sys
import types

EVENTS = 60  # returns, yields and exceptions noted per test; beyond it nothing is traced, so that no test gets stuck
DEPTH, PARTS, TEXT = 6, 300, 300  # of a value: levels, parts in all, characters of one text
TAKEN = 40  # elements taken from an iterator that is given back
ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}|pytest-\d+|/tmp/[\w./-]+")
NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, types.CodeType)
LAZY = (types.GeneratorType, map, filter, zip, enumerate, reversed)
ELSEWHERE, INSIDE, ANCHORED = range(3)


class Recorder:
    """Notes what leaves the file `path` when lines `begin`..`end` of it are reached; `whole`: any line of it will do.

    `numbers` has the tests that count, by node id.
    """

    def __init__(self, path, begin, end, whole, numbers):
        self.path, self.begin, self.end, self.whole, self.numbers = path, begin, end, whole, numbers
        self.places, self.names = {}, {}
        self.start()

    def start(self):
        """Forget the test before."""
        self.sum, self.events = hashlib.blake2b(digest_size=6), 0
        self.frame, self.touched, self.raised, self.given = None, False, None, ()

    def word(self):
        """What was noted, as 12 hexadecimal digits; empty when nothing was."""
        return self.sum.hexdigest() if self.events else ""

    def calls(self, frame, _event, _arg):
        """The global trace function."""
        place = self.place(frame.f_code)
        if place == ELSEWHERE:
            return None
        if place == ANCHORED:
            self.touched = True
        if self.frame is not None:
            return None
        self.frame, self.touched, self.raised = frame, place == ANCHORED, None
        if self.touched:
            self.given = [(name, value, Teller().tell(value)) for name, value in _arguments(frame)]
        return self.inside

    def inside(self, frame, event, arg):
        """The trace function of a frame that was entered from outside of the file."""
        if event == "exception":
            self.raised = arg[1] if isinstance(arg[1], BaseException) else arg[0]
        elif event == "line":
            self.raised = None
        elif event == "return":
            given, self.frame, self.given = self.given, None, ()
            if self.touched:
                self.note(frame.f_code.co_name, arg, given)
        return self.inside

    def note(self, name, value, given):
        """Add one return, yield or exception."""
        self.events += 1
        if self.events > EVENTS:
            self.events = EVENTS
            sys.settrace(None)
            return
        teller = Teller()
        told = f"raises {teller.tell(self.raised)}" if self.raised is not None else teller.taken(value)
        after = [f"{name}={now}" for name, one, then in given if (now := Teller().tell(one)) != then]
        self.sum.update(f"{name}:{told}|{' '.join(after)}\n".encode("utf-8", "backslashreplace"))

    def place(self, code):
        """Where a code object belongs."""
        key = id(code)
        if key not in self.places:
            self.names[key] = code  # alive, so that no other code gets its address
            self.places[key] = self._place(code)
        return self.places[key]

    def _place(self, code):
        name = code.co_filename
        if not code.co_flags & 2 or name.startswith("<") or (name != self.path and os.path.realpath(name) != self.path):
            return ELSEWHERE
        return ANCHORED if self.whole or self.begin <= code.co_firstlineno <= self.end else INSIDE


def _arguments(frame):
    code = frame.f_code
    flags = code.co_flags
    count = code.co_argcount + code.co_kwonlyargcount + bool(flags & 4) + bool(flags & 8)
    return [(name, frame.f_locals[name]) for name in code.co_varnames[:count] if name in frame.f_locals]


class Teller:
    """Writes one value down by its structure, without running code of the repository."""

    def __init__(self):
        self.left, self.open = PARTS, set()

    def taken(self, value):
        """A value that is given back: of a lazy one, its first elements."""
        if isinstance(value, LAZY) or type(value).__module__ == "itertools":
            elements = []
            try:
                for element in value:
                    elements.append(self.tell(element))
                    if len(elements) >= TAKEN:
                        break
            except Exception as problem:
                elements.append(f"raises {self.tell(problem)}")
            return f"lazy[{', '.join(elements)}]"
        return self.tell(value)

    def tell(self, value, depth=DEPTH):
        """Text of a value."""
        self.left -= 1
        kind = type(value)
        if value is None or value is ...:
            return repr(value)
        if isinstance(value, (int, float)):
            return _number(value)
        if isinstance(value, (str, bytes, bytearray)):
            return _text(value)
        if self.left < 0 or depth < 0 or id(value) in self.open:
            return f"<{kind.__name__}>"
        self.open.add(id(value))
        try:
            return self._parts(value, kind, depth - 1)
        finally:
            self.open.discard(id(value))

    def _parts(self, value, kind, depth):
        if isinstance(value, (list, tuple)):
            name = "tuple" if isinstance(value, tuple) else "list"
            elements = (tuple if isinstance(value, tuple) else list).__iter__(value)
            return name + self._all(_bounded(elements), depth) + self._state(value, kind, depth)
        if isinstance(value, (set, frozenset)):
            elements = (set if isinstance(value, set) else frozenset).__iter__(value)
            return "set" + str(sorted(self.tell(one, depth) for one in _bounded(elements)))
        if isinstance(value, dict):
            pairs = _bounded(dict.items(value))
            return "dict" + str(sorted(f"{self.tell(key, depth)}: {self.tell(one, depth)}" for key, one in pairs))
        if isinstance(value, NAMED):
            return f"<{getattr(value, '__qualname__', getattr(value, '__name__', kind.__name__))}>"
        if isinstance(value, BaseException):
            return f"{kind.__name__}{self._all(BaseException.args.__get__(value), depth)}"
        if kind.__module__ in ("collections", "array") and hasattr(value, "__len__"):
            return kind.__name__ + self._all(_bounded(value), depth)
        return kind.__name__ + (self._state(value, kind, depth) or self._plain(value, kind))

    def _all(self, values, depth):
        return f"[{', '.join(self.tell(one, depth) for one in values)}]"

    def _state(self, value, kind, depth):
        found = {}
        for owner in kind.__mro__:
            slots = owner.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                member = owner.__dict__.get(name)
                if isinstance(member, types.MemberDescriptorType):
                    try:
                        found[name] = member.__get__(value)
                    except AttributeError:
                        continue
        with contextlib.suppress(AttributeError, TypeError):
            found.update(object.__getattribute__(value, "__dict__"))
        parts = [f"{name}={self.tell(one, depth)}" for name, one in sorted(found.items(), key=str)]
        return f"({', '.join(parts)})" if parts else ""

    def _plain(self, value, kind):
        """Values without state of their own: dates, decimals, matches; of the repository's types only the name."""
        if kind.__module__ in ("datetime", "decimal", "_decimal", "re", "builtins", "uuid", "fractions"):
            return _text(repr(value))
        return ""


def _number(value):
    if isinstance(value, float) and not float.is_integer(value):
        return f"{float.__float__(value):.6g}"
    whole = int.__int__(value) if isinstance(value, int) else float.__int__(value)
    return str(whole) if abs(whole) < 10**30 else hex(whole)[:TEXT]


def _bounded(values):
    found = []
    for one in values:
        if len(found) >= PARTS:
            break
        found.append(one)
    return found


def _text(value):
    text = value if isinstance(value, str) else bytes(value).decode("latin-1")
    plain = str.__str__(text)
    if len(plain) > TEXT:
        plain = f"{plain[:TEXT]}…{hashlib.blake2b(plain.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"
    return ("b" if isinstance(value, (bytes, bytearray)) else "") + ascii(ADDRESS.sub("…", plain))
