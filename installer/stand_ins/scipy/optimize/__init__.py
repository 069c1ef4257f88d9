"""SciPy's own compiled function, without the 73 MB of SciPy that importing it from there would bring."""

from scipy.optimize._lsap import linear_sum_assignment

__all__ = ["linear_sum_assignment"]
