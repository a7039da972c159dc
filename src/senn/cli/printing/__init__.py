"""What commands print and draw: tables of the screen, reports, pictures."""
