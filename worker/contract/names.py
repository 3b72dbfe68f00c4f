"""Every name that may start with BENDCODER_, so that each process can refuse a misspelt one; imports nothing.

One process has no use for another's settings, but all of them may stand in one environment file: a name is wrong
only when no process knows it.
"""

PREFIX = "BENDCODER_"

KNOWN = (
    "REDIS_URL",
    "WEBHOOK_SECRETS",
    "WEBHOOK_SECRETS_FILE",
    "LABEL",
    "ALLOW",
    "BOT_IDS",
    "APP_ID",
    "APP_PRIVATE_KEY",
    "APP_PRIVATE_KEY_FILE",
    "GITHUB_API_URL",
    "GITHUB_WEB_URL",
    "GIT_URL",
    "PUBLIC_URL",
    "CLASSIFY",
    "CLASSIFY_URL",
    "CLASSIFY_MODEL",
    "CLASSIFY_PRICE_IN",
    "CLASSIFY_PRICE_OUT",
    "GENERATE",
    "GENERATE_URL",
    "GENERATE_MODEL",
    "GENERATE_MODEL_DRAFT",
    "GENERATE_MODEL_SEARCH",
    "GENERATE_MODEL_PLAN",
    "GENERATE_MODEL_REPRODUCE",
    "GENERATE_MODEL_ANSWER",
    "GENERATE_PRICE_IN",
    "GENERATE_PRICE_OUT",
    "GENERATE_CANDIDATES",
    "GENERATE_MAX_TOKENS",
    "GENERATE_WINDOW",
    "MONEY",
    "RECORD",
    "MODELS",
    "BASES",
    "SANDBOX",
    "STEPS",
    "SECONDS",
    "SETUP_SECONDS",
    "ENVIRONMENTS_GB",
    "DATA_DIR",
    "MAX_PARALLEL",
    "LEASE_SECONDS",
    "INSTALL",  # read by `make`: may system packages be installed?
)

WORKER_SECRETS = (
    PREFIX + "APP_PRIVATE_KEY",
    PREFIX + "APP_PRIVATE_KEY_FILE",
    "TYPESAFE_API_KEY",
    "OPENROUTER_API_KEY",
)
"""Full names the public process must not be given."""


def unknown(names: list[str]) -> tuple[str, ...]:
    """Those of `names` that start with the prefix (in any case) and that no process knows, sorted."""
    known = {PREFIX + name for name in KNOWN}
    return tuple(sorted(name for name in names if name.upper().startswith(PREFIX) and name.upper() not in known))
