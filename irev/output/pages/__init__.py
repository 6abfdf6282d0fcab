"""Pages: findings as one file of HTML that anyone can open, without a server, a network or another file.

Static parts, which are all but single queries, are HTML and SVG written here, and need no script. What strangers have
named is text in the page and strings in its data, never markup; a policy in the page forbids whatever is not written
here, and anything from elsewhere. The same findings give the same bytes.
"""
