"""Closes a backend after its run, whatever it is; must not raise for one that holds nothing open."""


def release(backend: object) -> None:
    """Close a backend that holds connections; many hold none."""
    close = getattr(backend, "close", None)
    if callable(close):
        close()
