"""Times, figures, states and problems in the words that people read."""
