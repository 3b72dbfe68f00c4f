import unittest

import shapes
from stack import Stack


class Tests(unittest.TestCase):
    def test_last_in_first_out(self):
        stack = Stack()
        stack.push(1)
        stack.push(2)
        self.assertEqual((len(stack), stack.pop(), stack.pop(), len(stack)), (2, 2, 1, 0))

    def test_empty(self):
        with self.assertRaises(IndexError):
            Stack().pop()

    def test_export(self):
        self.assertIs(shapes.Stack, Stack)
