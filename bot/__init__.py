"""The bot: takes webhook deliveries in and puts jobs on the queue; holds no key, calls no forge, touches no git."""
