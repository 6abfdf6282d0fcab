"""What follows from scores: comparisons, the gate, differences, explanations, and checks of files."""
