"""One measured temperature."""


class Reading:
    """A number of degrees."""

    def __init__(self, degrees):
        self.degrees = degrees
