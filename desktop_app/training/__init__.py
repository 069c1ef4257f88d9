"""Training a draft for a target from recordings. Only what is asked to train loads PyTorch."""
