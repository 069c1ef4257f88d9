"""What the installed program can be given later, besides models: PyTorch for CUDA."""
