"""`bendcoder demo`: the main job from a labelled issue to a draft pull request, on this machine, without any key."""
