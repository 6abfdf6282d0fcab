"""What data in memory is taken apart with: ids as bytes, the columns of frames and arrays, and rows by query.

`irev.reading.memory` makes of these what files give. No library of data frames is imported here: one that hands in a
frame has imported it.
"""
