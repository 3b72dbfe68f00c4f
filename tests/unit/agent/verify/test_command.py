import pytest

from agent.verify.command import named_files, understand

PY = "/venv/bin/python"


@pytest.mark.parametrize(
    ("words", "argv"),
    [
        ("pytest -q", f"{PY} -m pytest -q"),
        ("py.test", f"{PY} -m pytest"),
        ("python -m pytest tests", f"{PY} -m pytest tests"),
        ("python3 -X dev -m pytest", f"{PY} -X dev -m pytest"),
        ("python3.12 -W error -m pytest", f"{PY} -W error -m pytest"),
        ("coverage run -m pytest -q", f"{PY} -m coverage run -m pytest -q"),
        ("python -m coverage run --branch -m pytest", f"{PY} -m coverage run --branch -m pytest"),
        ("/other/bin/python -m pytest", "/other/bin/python -m pytest"),
        ("/other/bin/pytest", "/other/bin/pytest"),
        ("PYTHONPATH=src A=b=c python -m pytest", f"{PY} -m pytest"),
        ("env A=b pytest", f"{PY} -m pytest"),
    ],
)
def test_pytest_is_recognised_and_runs_on_the_environments_interpreter(words, argv):
    command = understand(words.split(), PY)
    assert command.pytest
    assert command.argv == tuple(argv.split())


@pytest.mark.parametrize(
    "words",
    [
        "make test",
        "python -m unittest",
        "python tests/run.py -m pytest",
        "python -I -m pytest",
        "python -IB -m pytest",
        "python -E -m pytest",
        "npm test",
        "python -m tox -- -m pytest",
        "",
        "python",
        "python -m",
    ],
)
def test_anything_else_gives_its_exit_code_only(words):
    command = understand(words.split(), None)
    assert not command.pytest
    assert command.argv == tuple(words.split())


def test_assignments_become_variables_and_keep_our_modules_first():
    command = understand(["PYTHONPATH=src", "A=b=c", "pytest"], PY)
    assert command.variables == (("PYTHONPATH", "src"), ("A", "b=c"))
    assert command.search_path("/inside", "lib") == "/inside:src"
    assert understand(["pytest"], PY).search_path("/inside", "lib") == "/inside:lib"
    assert understand(["pytest"], PY).search_path("/inside", "") == "/inside"


def test_our_options_come_last_but_before_a_double_dash():
    plain = understand(["pytest", "-x"], None).judged("/r/x.xml")
    assert plain[:2] == ("pytest", "-x")
    assert plain[2:4] == ("-p", "bendcoder_nodeid")
    assert plain[-1] == "--maxfail=0"
    dashed = understand(["pytest", "--", "tests"], None).judged("/r/x.xml")
    assert dashed[-2:] == ("--", "tests")
    assert "--junit-xml=/r/x.xml" in dashed


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("pytest -q", f"{PY} -m pytest -q"),
        ("python -X dev -m unittest discover -s tests", f"{PY} -X dev -m pytest"),
        ("coverage run --branch -m unittest", f"{PY} -m pytest"),
        ("node --test", ""),
        ("make test", ""),
    ],
)
def test_what_can_be_searched_with_pytest(words, expected):
    assert understand(words.split(), PY).as_pytest == tuple(expected.split())


def test_files_a_command_names():
    tracked = frozenset({"run.sh", "tests/a.py", "cfg/p.ini", "tools/plug.py", "pkg/__main__.py", "tests/b.py"})
    assert named_files(["./run.sh"], tracked) == {"run.sh"}
    assert named_files(["pytest", "tests/a.py::test_x", "-c", "cfg/p.ini"], tracked) == {"tests/a.py", "cfg/p.ini"}
    assert named_files(["pytest", "--config-file=cfg/p.ini", "tests"], tracked) == {"cfg/p.ini"}
    assert named_files(["python", "-m", "pkg"], tracked) == {"pkg/__main__.py"}
    assert named_files(["pytest", "-p", "tools.plug"], tracked) == {"tools/plug.py"}
