"""Hands git the hook that refuses pushes with GitHub's words, and the rules for one push; judges nothing itself."""

import json
import shlex
import sys
from pathlib import Path

from deploy.devhub import proc_receive
from deploy.devhub.auth import Caller
from deploy.devhub.hub import Hub
from deploy.devhub.state import Repository


class PushRules:
    """Installs the hook once and makes the variables of a push."""

    def __init__(self, hub: Hub) -> None:
        self.hooks = hub.directory / "hooks"
        self.hooks.mkdir(parents=True, exist_ok=True)
        words = [sys.executable, "-I", "-S", str(Path(proc_receive.__file__).resolve())]
        hook = self.hooks / "proc-receive"
        hook.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n", encoding="utf-8")
        hook.chmod(0o755)

    def variables(self, repo: Repository, caller: Caller) -> dict[str, str]:
        """Git configuration (entries 1 and 2 of the child's environment) and the rules for this caller."""
        rules = {
            "workflows": caller.may("workflows", "write"),
            "signed": repo.signed_only,
            "refuse": dict(repo.refused_refs),
        }
        return {
            "GIT_CONFIG_COUNT": "3",
            "GIT_CONFIG_KEY_1": "core.hooksPath",
            "GIT_CONFIG_VALUE_1": str(self.hooks),
            "GIT_CONFIG_KEY_2": "receive.procReceiveRefs",
            "GIT_CONFIG_VALUE_2": "refs/heads/",
            "DEVHUB_PUSH_RULES": json.dumps(rules),
        }
