"""Starts the public process: settings, queue, routes, server; nothing is decided here."""

import argparse
import gc
import logging
import sys

from bot import settings
from bot.app import make_app
from bot.errors import SettingsError
from bot.triggers import Watch
from worker.contract.queue import Producer

HOST = "127.0.0.1"
PORT = 8080
_QUEUE_TIMEOUT = 1.5
"""Seconds per attempt; two attempts stay under the deadline of a delivery."""


def serve(host: str = HOST, port: int = PORT) -> None:
    """Answer deliveries until told to stop. Raises SettingsError before it listens."""
    chosen = settings.load()
    queue = Producer(chosen.redis_url.get_secret_value(), timeout=_QUEUE_TIMEOUT)
    watch = Watch(label=chosen.label, host=chosen.host, bot_ids=chosen.bot_ids)
    app = make_app(chosen.secrets(), watch, queue)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    import uvicorn

    gc.freeze()  # what is imported is never garbage, and looking through it takes 20 ms in which nobody is answered
    uvicorn.run(
        app, host=host, port=port, log_config=None, access_log=False, server_header=False, proxy_headers=False,
        limit_concurrency=200, timeout_graceful_shutdown=10,
    )  # fmt: skip


def main() -> int:
    """`python -m bot [--host HOST] [--port PORT]`."""
    parser = argparse.ArgumentParser(prog="python -m bot", description="Receive webhook deliveries and queue jobs.")
    parser.add_argument("--host", default=HOST)
    parser.add_argument("--port", type=int, default=PORT)
    chosen = parser.parse_args()
    try:
        serve(chosen.host, chosen.port)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
