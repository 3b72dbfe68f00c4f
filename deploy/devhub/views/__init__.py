"""Records as the JSON documents GitHub answers with; reads records and git, changes nothing."""
