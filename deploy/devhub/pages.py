"""Pages for people; filled in below."""

from starlette.routing import Route

from deploy.devhub.hub import Hub


def page_routes(hub: Hub) -> list[Route]:
    """The routes of the pages."""
    return []
