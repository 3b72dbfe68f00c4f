"""Accounts in whole cents; money moves between accounts and never appears or disappears."""


class LedgerError(Exception):
    """A booking was refused; nothing changed."""


class Ledger:
    """Accounts, their balances, and every booking in order."""

    def __init__(self):
        self.balances = {}
        self.limits = {}
        self.bookings = []

    def open(self, account, opening=0, limit=0):
        """Open an account; `limit` is how far below zero it may go."""
        if account in self.balances:
            raise LedgerError(f"account {account!r} is open already")
        self.balances[account] = opening
        self.limits[account] = limit

    def balance(self, account):
        """Cents on an account."""
        if account not in self.balances:
            raise LedgerError(f"no account {account!r}")
        return self.balances[account]

    def available(self, account):
        """Cents that could be taken from an account, credit included."""
        return self.balance(account) + self.limits[account]

    def transfer(self, source, target, amount, text=""):
        """Move cents from source to target."""
        if amount <= 0:
            raise LedgerError("the amount must be positive")
        if source == target:
            raise LedgerError("source and target are the same account")
        self.balance(target)
        if amount > self.available(target):
            raise LedgerError(f"not enough on {source!r}")
        self.balances[source] -= amount
        self.balances[target] += amount
        self.bookings.append((source, target, amount, text))

    def undo(self):
        """Take the last booking back; returns it."""
        if not self.bookings:
            raise LedgerError("there is nothing to undo")
        source, target, amount, text = self.bookings.pop()
        self.balances[source] += amount
        self.balances[target] -= amount
        return (source, target, amount, text)

    def statement(self, account):
        """What every booking did to one account, oldest first."""
        self.balance(account)
        lines = []
        for source, target, amount, text in self.bookings:
            if source == account:
                lines.append((-amount, text))
            elif target == account:
                lines.append((amount, text))
        return lines


def split(amount, parts):
    """An amount in `parts` shares that differ by at most one cent, bigger ones first."""
    if parts < 1:
        raise LedgerError("there must be at least one part")
    share, rest = divmod(amount, parts)
    return [share + 1] * rest + [share] * (parts - rest)
