"""What the window and the command line both do, without Qt and without a terminal: they show and ask."""
