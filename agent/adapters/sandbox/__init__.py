"""Where foreign code runs: a box around a tree, by bubblewrap, in a container, or (by name only) not at all."""

from agent.adapters.sandbox import bubblewrap, container, local
from agent.domain.environment import Environment
from agent.errors import SandboxError
from agent.ports import Sandbox

NAMES = ("bubblewrap", "container:IMAGE", "local")


def sandbox_named(name: str, *, check: bool = True) -> Sandbox:
    """The sandbox of this name: `bubblewrap`, `container:IMAGE` or `local`.

    SandboxError for an unknown name and (unless `check` is False) for one that does not work on this machine; the
    sentence names the setting or the command that helps. Trying bubblewrap takes some 50 ms.
    """
    kind, _, image = name.partition(":")
    if name == "local":
        return local.LocalSandbox()
    if name == "bubblewrap":
        problem = bubblewrap.probe(Environment()) if check else ""
        if problem:
            raise SandboxError(
                f"the bubblewrap sandbox does not work here: {problem}. Nothing was run. For repositories of your own"
                " BENDCODER_SANDBOX=local runs their code without any protection."
            )
        return bubblewrap.BubblewrapSandbox()
    if kind == "container" and image:
        program = container.program_here() or ("" if check else container.PROGRAMS[0])
        if not program:
            raise SandboxError("the container sandbox needs docker or podman; `apt-get install -y podman`")
        return container.ContainerSandbox(image, program)
    raise SandboxError(f"BENDCODER_SANDBOX (--sandbox) is {name!r}; it must be one of {', '.join(NAMES)}")
