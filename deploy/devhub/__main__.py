"""`python -m deploy.devhub`: serves the stand-in until interrupted."""

import argparse
from pathlib import Path

from deploy.devhub.server import serve


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="devhub", description="A GitHub stand-in for tests, demo and development.")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; the control API asks nobody who they are"
    )
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one and prints it")
    parser.add_argument("--state-dir", type=Path, default=None, help="where bare repositories lie (default: temporary)")
    parser.add_argument("--webhook-url", default=None, help="where the App's webhooks go")
    given = parser.parse_args()
    serve(given.host, given.port, given.state_dir, given.webhook_url)


if __name__ == "__main__":
    main()
