"""Rules for every test: a clean environment, and under CI a skipped test is a failed one."""

import os
from collections.abc import Iterator

import pytest

SECRETS = ("TYPESAFE_API_KEY", "OPENROUTER_API_KEY")


@pytest.fixture(autouse=True)
def _clean_environment() -> Iterator[None]:
    """No test sees, or leaves behind, a setting of the machine it runs on."""
    before = dict(os.environ)
    for name in list(os.environ):
        if name.startswith("BENDCODER_") or name in SECRETS:
            del os.environ[name]
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Turn a skip into a failure when CI=true: a test that did not run proves nothing."""
    report = yield
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped under CI: {report.longrepr}"
    return report
