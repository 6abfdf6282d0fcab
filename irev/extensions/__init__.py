"""What is not the heart of irev: a folder for each extension, which imports the core and which nothing imports.

Each folder has an `EXTENSION`, as `irev.base.registry` has it. A folder that is gone takes its commands, its Python
functions and their help with it.
"""
