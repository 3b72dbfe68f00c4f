"""Functions of every language keep their whole lines, and a source meant to hang the parser does not."""

from time import process_time

import pytest

from agent.index.grammars import MOST_BYTES, definitions, language_of
from agent.index.symbols import Function, functions, outermost

JAVASCRIPT = b"""export function top(a) { return a }
export default class Box extends Base {
  static make() { return 1 }
  field = () => {
    return 3
  }
}
const arrow = async (a) => {
  return a
}
module.exports = { key: function () { return 1 }, short() {} }
Foo.prototype.bar = function (x) {
  return x
}
const none = 3
"""
TYPESCRIPT = b"""interface Shape { area(): number }
abstract class A<T> {
  @dec()
  // why
  private go(x: number): void {
    return
  }
  plain(): void {}
}
namespace N { export function inner() {} }
export const f = <T>(a: T): T => a
function over(a: string): void
function over(a: any) { }
"""
GO = b"""package main

func Top(a int) int {
\treturn a
}

func (r *Recv[T]) Method() {
}

type S struct{ a int }
"""
RUST = b"""#[derive(Debug)]
struct P { x: i32 }

impl<T> fmt::Display for P<T> {
    #[inline]
    /// Doc.
    #[must_use]
    pub fn m(&self) -> i32 { 1 }
    fn n(&self) {}
}

mod inner { pub async fn f() {} }
"""
JAVA = b"""@Ann
public class C<T> {
  C() { }
  @Override
  public int m(int a) {
    return a;
  }
  enum E { A; void z() {} }
}
"""
C = b"""int proto(int a);

static int *f(int a)
{
    return 0;
}
struct s *g(struct s *p) { return p; }
"""
CPP = b"""namespace ns {
class Box : public B {
 public:
  ~Box() {}
  bool operator==(const Box& o) { return true; }
};
template <class T>
T &ptr(T a) { return a; }
}
int ns::Box::out(int x) {
  return x;
}
"""
RUBY = b"""module M
  class C < B
    def go(x)
      x
    end
    def self.cls; 1 end
  end
end
"""
PHP = b"""<?php
namespace A;
function f($a) { return $a; }
class C {
  #[Attr]
  public function m() {
  }
}
"""


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.js", JAVASCRIPT, ["top 1-1", "Box.make 3-3", "Box.field 4-6", "arrow 8-10", "key 11-11", "short 11-11",
                              "bar 12-14"]),
        ("a.ts", TYPESCRIPT, ["A.go 3-7", "A.plain 8-8", "N.inner 10-10", "f 11-11", "over 13-13"]),
        ("a.tsx", b"export function Page() {\n  return <b>{x}</b>\n}\n", ["Page 1-3"]),
        ("a.go", GO, ["Top 3-5", "Recv.Method 7-8"]),
        ("a.rs", RUST, ["P.m 5-8", "P.n 9-9", "inner.f 12-12"]),
        ("A.java", JAVA, ["C.C 3-3", "C.m 4-7", "C.E.z 8-8"]),
        ("a.c", C, ["f 3-6", "g 7-7"]),
        ("a.hpp", CPP, ["ns.Box.~Box 4-4", "ns.Box.operator== 5-5", "ns.ptr 7-8", "ns.Box.out 10-12"]),
        ("a.rb", RUBY, ["M.C.go 3-5", "M.C.cls 6-6"]),
        ("a.php", PHP, ["f 3-3", "C.m 5-7"]),
    ],
)  # fmt: skip
def test_functions_of_each_language_take_whole_lines_with_what_decorates_them(
    path: str, source: bytes, expected: list[str]
) -> None:
    assert [f"{one.name} {one.begin}-{one.end}" for one in functions(source, path)] == expected


def test_types_are_defined_and_merely_mentioned_ones_are_not() -> None:
    assert [one.name for one in definitions(b"struct s { int a; };\nstruct s *x;\nenum e { A };", "c")] == ["s", "e"]


def test_an_unknown_suffix_has_no_functions_and_no_suffix_is_python() -> None:
    assert language_of("README.md") == language_of("Makefile") == ""
    assert functions(b"def f(): pass\n", "notes.txt") == ()
    assert functions(b"def f(): pass\n") == (Function(name="f", begin=1, end=1),)


def test_a_function_inside_another_is_not_a_unit_of_its_own() -> None:
    source = b"function a() {\n  function b() {}\n}\nfunction c() {}\n"

    assert [one.name for one in functions(source, "a.js")] == ["a", "a.b", "c"]
    assert [one.name for one in outermost(source, "a.js")] == ["a", "c"]


@pytest.mark.parametrize("language", ["c", "java"])
@pytest.mark.parametrize("piece", [b"a=>", b"%w(", b"(", b'"', b"a?b:", b"\0", b"\xff\xfe{"])
def test_a_source_meant_to_hang_the_parser_is_given_up(language: str, piece: bytes) -> None:
    # C's grammar takes five seconds for 4 KB of the first one: and half a minute for 8
    began = process_time()
    definitions(piece * (4096 // len(piece)), language)
    assert process_time() - began < 2

    assert definitions(b"int good(int a) { return a; }", "c")[0].name == "good"


def test_a_source_beyond_the_limit_is_not_parsed() -> None:
    assert definitions(b"int f() {}\n" + b" " * MOST_BYTES, "c") == ()


def test_python_with_expressions_deeper_than_python_recurses_keeps_its_functions() -> None:
    source = b"def f():\n    pass\nx = " + b"+".join([b"1"] * 900) + b"\n" + b"if x: pass\n" + b"elif x: pass\n" * 300

    assert [one.name for one in functions(source)] == ["f"]
