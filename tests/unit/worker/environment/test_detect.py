"""Which command tests a repository, told from its files."""

import pytest

from worker.environment import detect_verify

PYTEST = ("python", "-m", "pytest")
UNITTEST = b"import unittest\nclass T(unittest.TestCase): ..."


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pytest.ini": b""}, PYTEST),
        ({"a/conftest.py": b""}, PYTEST),
        ({"setup.cfg": b"[tool:pytest]\n"}, PYTEST),
        ({"tox.ini": b"[tox]\n[pytest]\n"}, PYTEST),
        ({"pyproject.toml": b"[tool.pytest.ini_options]\n"}, PYTEST),
        ({"test_x.py": b"import pytest\n"}, PYTEST),
        ({"tests/x_test.py": b"def test_it(): assert True\n"}, PYTEST),
        ({"test_x.py": UNITTEST}, ("python", "-m", "unittest", "discover")),
        ({"pkg/__init__.py": b"", "pkg/test_x.py": UNITTEST}, ("python", "-m", "unittest", "discover")),
        ({"tests/test_x.py": UNITTEST}, ("python", "-m", "unittest", "discover", "-s", "tests", "-t", "tests")),
        ({"tests/test_x.py": UNITTEST, "pytest.ini": b""}, PYTEST),
        ({"tests/test_x.py": UNITTEST, "tox.ini": b"[testenv]\ndeps =\n    pytest-cov\n"}, PYTEST),
        ({"tests/test_x.py": UNITTEST, "requirements-dev.txt": b"pytest==8\n"}, PYTEST),
        ({"test_x.py": UNITTEST, "tox.ini": b"[tox]\n# no pytest here\n"}, ("python", "-m", "unittest", "discover")),
        ({"test.py": UNITTEST, "dev.requirements.txt": b"pytest\n"}, ("python", "-m", "unittest", "discover")),
        ({"src/pkg/__init__.py": b"", "tests/test_x.py": b"import pytest\n"}, ("PYTHONPATH=src", *PYTEST)),
        ({"test.py": UNITTEST, "pytest.ini": b"[pytest]\npython_files = test.py\n"}, PYTEST),
        ({"src/mod.py": b"", "test_x.py": UNITTEST}, ("PYTHONPATH=src", "python", "-m", "unittest", "discover")),
        ({"src/main.c": b"", "tests/test_x.py": b"import pytest\n"}, PYTEST),
        ({"tox.ini": b"[tox]\n"}, ("tox",)),
        ({"pyproject.toml": b"[tool.tox]\n"}, ("tox",)),
        ({"noxfile.py": b""}, ("nox",)),
        ({"package.json": b'{"scripts": {"test": "vitest run"}}'}, ("npm", "test")),
        ({"package.json": b'{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, None),
        ({"package.json": b'{"scripts": []}'}, None),
        ({"package.json": b"[" * 100_000}, None),
        ({"package.json": b'{"scripts": {"test": "node --test"}}'}, ("npm", "test")),
        ({"package.json": b"{}", "test/a.js": b"import test from 'node:test';"}, ("node", "--test")),
        ({"lib/a.test.mjs": b'import { it } from "node:test";'}, ("node", "--test")),
        ({"lib/a.test.js": b"describe('jest', () => {});"}, None),
        ({"node_modules/x/test/a.js": b"require('node:test')"}, None),
        ({"lib/latest.js": b"require('node:test')"}, None),
        ({"Cargo.toml": b"", "test/a.js": b"require('node:test')"}, ("cargo", "test")),
        ({"Cargo.toml": b""}, ("cargo", "test")),
        ({"go.mod": b""}, ("go", "test", "./...")),
        ({"Makefile": b"all:\n\ntest: all\n\ttrue\n"}, ("make", "test")),
        ({"Makefile": b"test := 1\ntests:\n\ttrue\n"}, None),
        ({"pyproject.toml": b"\xff not toml ["}, None),
        ({"README.md": b"pytest"}, None),
        ({}, None),
    ],
)
def test_the_command_is_told_from_the_files(files: dict[str, bytes], expected: tuple[str, ...] | None) -> None:
    assert detect_verify(files.keys(), files.get) == expected


def test_a_file_that_cannot_be_read_is_no_hint() -> None:
    assert detect_verify(["tests/test_x.py", "Makefile", "package.json"], lambda path: None) == PYTEST
    assert detect_verify(["Makefile", "package.json"], lambda path: None) is None
