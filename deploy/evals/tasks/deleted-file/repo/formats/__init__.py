"""What an export can be written as."""
