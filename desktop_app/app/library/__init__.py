"""What is done with whole recordings: bringing files in, exporting, deleting, recovering."""
