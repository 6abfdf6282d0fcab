"""The doors of irev: the command line and the Python interface, both made from the choices of each question."""
