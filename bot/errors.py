"""Why the bot turned a delivery away or would not start: one class per answer, no IO.

    BotError
    ├── SettingsError         this process must not start like this        (operator)
    └── Refused               a delivery that is answered with `status`    (sender)
        ├── TooLarge          413
        ├── NotSigned         401
        ├── NotJson           415
        └── Malformed         400

Every error keeps its arguments in `args`, so that it survives pickling.
"""


class BotError(Exception):
    """Base of everything the bot raises on purpose; `args[0]` is a sentence for a person."""


class SettingsError(BotError):
    """The environment is wrong: the sentence names the setting, never its value."""


class Refused(BotError):
    """A delivery that was not taken in; nothing was recorded."""

    status = 400


class TooLarge(Refused):
    """More bytes than a forge ever sends."""

    status = 413


class NotSigned(Refused):
    """The signature is absent or does not fit: whoever sent this does not hold the secret."""

    status = 401


class NotJson(Refused):
    """The content type is not JSON."""

    status = 415


class Malformed(Refused):
    """Signed, but not a delivery: headers are absent or the body is not a JSON object."""
