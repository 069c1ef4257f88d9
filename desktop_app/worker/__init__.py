"""What runs only in child processes: transcribing, live sessions, tasks on models, questions about this computer."""
