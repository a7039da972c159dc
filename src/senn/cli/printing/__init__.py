"""Output of the commands: tables on the screen, reports, pictures, JSON."""
