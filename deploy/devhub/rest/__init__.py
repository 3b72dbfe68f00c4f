"""The REST API, one module per resource; `ROUTES` is the whole table, in the order it is searched."""

from deploy.devhub.rest import (
    apps,
    checks,
    comments,
    contents,
    issues,
    labels,
    pulls,
    refs,
    repositories,
    reviews,
    service,
)
from deploy.devhub.routing import Route

ROUTES: tuple[Route, ...] = (
    *apps.ROUTES,
    *service.ROUTES,
    *repositories.ROUTES,
    *comments.ROUTES,
    *labels.ROUTES,
    *issues.ROUTES,
    *reviews.ROUTES,
    *pulls.ROUTES,
    *refs.ROUTES,
    *checks.ROUTES,
    *contents.ROUTES,
)
