"""What the window and the command line both do, without Qt and without a terminal, in packages by what a user does."""
