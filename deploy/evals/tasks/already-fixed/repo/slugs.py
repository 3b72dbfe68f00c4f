"""Names for addresses."""


def slug(title):
    """A title as part of an address: small letters, dashes for spaces."""
    return "-".join(title.lower().split())
