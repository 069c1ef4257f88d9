"""This program on this computer: its build, checks, reports, updates, notifications, sleep."""
