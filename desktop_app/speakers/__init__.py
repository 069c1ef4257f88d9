"""Who speaks when: speech, voices, clusters, turns, and the words of each. Networks are passed in as callables."""
