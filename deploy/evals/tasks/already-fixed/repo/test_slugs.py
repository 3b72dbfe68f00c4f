from slugs import slug


def test_spaces_become_dashes():
    assert slug("Hello  World") == "hello-world"
