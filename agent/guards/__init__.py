"""Rules of the loop as request/wait/block threads; must do no IO and know no model, sandbox or workspace.

`engine` runs the threads · `events` is their vocabulary · `catalogue` lists the whole set in its order ·
every other file is one family of rules, each a small generator whose local variables are its whole memory.
"""
