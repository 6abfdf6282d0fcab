"""Rankings and measures to scores, their summary, and the record that is shown, saved and read back."""
