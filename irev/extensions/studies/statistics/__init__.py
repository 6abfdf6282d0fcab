"""Statistics on plain arrays that no command of the core uses; beside irev.statistics the only place with scipy."""
