import pytest

import shapes
from stack import Stack


def test_last_in_first_out():
    stack = Stack()
    stack.push(1)
    stack.push(2)
    assert (len(stack), stack.pop(), stack.pop(), len(stack)) == (2, 2, 1, 0)


def test_empty():
    with pytest.raises(IndexError):
        Stack().pop()


def test_export():
    assert shapes.Stack is Stack
