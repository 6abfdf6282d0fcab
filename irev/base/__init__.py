"""What every room uses: settings, names by which things register, arrays per query, numbers and ids as text."""
