"""A transcript as a file: the formats, how subtitles are split, and what files are called."""
