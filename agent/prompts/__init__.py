"""What Generate is shown: bounded messages made from values; sends nothing, reads no file of the repository.

`packing` packs for any role, one pure function · `material` what goes in and comes out · `sections` the pinned parts ·
`source`, `excerpt` a file within a limit · `evidence` what was seen, ranked · `output` a test run cut to what failed ·
`fence` frames nothing can close · `languages` by paths. The rules of each role are the `.md` files beside them.
"""

from agent.prompts.material import Attempt, Material, Packed, Role
from agent.prompts.packing import pack

__all__ = ["Attempt", "Material", "Packed", "Role", "pack"]
