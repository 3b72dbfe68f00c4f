import pytest

from ledger import Ledger, LedgerError, split


@pytest.fixture
def book():
    ledger = Ledger()
    ledger.open("till", opening=10_000)
    ledger.open("bank", opening=2_500)
    ledger.open("credit", limit=5_000)
    return ledger


def test_accounts_start_as_opened(book):
    assert (book.balance("till"), book.balance("bank"), book.balance("credit")) == (10_000, 2_500, 0)


def test_an_account_is_opened_once(book):
    with pytest.raises(LedgerError):
        book.open("till")


def test_unknown_accounts_are_refused(book):
    with pytest.raises(LedgerError):
        book.balance("safe")
    with pytest.raises(LedgerError):
        book.transfer("till", "safe", 1)


def test_available_counts_credit(book):
    assert book.available("credit") == 5_000
    assert book.available("bank") == 2_500


def test_transfer_moves_money(book):
    book.transfer("bank", "till", 500)
    assert (book.balance("bank"), book.balance("till")) == (2_000, 10_500)


def test_the_whole_balance_can_be_moved(book):
    book.transfer("till", "bank", 10_000)
    assert (book.balance("till"), book.balance("bank")) == (0, 12_500)


def test_nobody_pays_more_than_they_have(book):
    with pytest.raises(LedgerError):
        book.transfer("bank", "till", 2_501)
    assert (book.balance("bank"), book.balance("till")) == (2_500, 10_000)


def test_credit_can_be_used_up(book):
    book.transfer("credit", "bank", 5_000)
    assert book.balance("credit") == -5_000
    with pytest.raises(LedgerError):
        book.transfer("credit", "bank", 1)


@pytest.mark.parametrize("amount", [0, -5])
def test_amounts_are_positive(book, amount):
    with pytest.raises(LedgerError):
        book.transfer("till", "bank", amount)


def test_source_and_target_differ(book):
    with pytest.raises(LedgerError):
        book.transfer("till", "till", 5)


def test_undo_takes_back_the_last_booking(book):
    book.transfer("till", "bank", 100, "change")
    assert book.undo() == ("till", "bank", 100, "change")
    assert (book.balance("till"), book.balance("bank")) == (10_000, 2_500)
    with pytest.raises(LedgerError):
        book.undo()


def test_statement_shows_both_directions(book):
    book.transfer("till", "bank", 100, "deposit")
    book.transfer("bank", "till", 40, "coins")
    assert book.statement("bank") == [(100, "deposit"), (-40, "coins")]
    assert book.statement("credit") == []


@pytest.mark.parametrize(("amount", "parts", "shares"), [(100, 3, [34, 33, 33]), (8, 4, [2, 2, 2, 2]), (1, 2, [1, 0])])
def test_split(amount, parts, shares):
    assert split(amount, parts) == shares


def test_split_into_nothing():
    with pytest.raises(LedgerError):
        split(10, 0)
