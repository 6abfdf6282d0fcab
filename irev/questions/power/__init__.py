"""Power: how many queries it takes to find a difference between runs, and how often a gate turns red."""
