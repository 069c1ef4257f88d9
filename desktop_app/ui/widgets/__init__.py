"""Controls, colours and icons that all of the window is made of."""
