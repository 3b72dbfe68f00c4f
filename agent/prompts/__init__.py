"""What Generate is shown: bounded messages made from values; sends nothing, reads no file of the repository."""

from agent.prompts.pack import messages_for_answer, messages_for_edit, messages_for_search

__all__ = ["messages_for_answer", "messages_for_edit", "messages_for_search"]
