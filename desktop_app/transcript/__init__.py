"""What was said: words, segments, transcripts and the formats they are saved in."""
