"""The only way out of set-up's network namespace: a proxy on our side that looks names up itself and checks them."""

from agent.adapters.sandbox.egress.destinations import Destinations, Upstream, upstream_of
from agent.adapters.sandbox.egress.server import Bounds, Egress, serving

__all__ = ["Bounds", "Destinations", "Egress", "Upstream", "serving", "upstream_of"]
