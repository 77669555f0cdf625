"""What values of a loss mean: its landmarks, in the terms of a library.

A landmark is the value of a loss where one knows what the embeddings look like: all equal, random,
classes collapsed, and so on. :func:`.explain.explain` is what users call.
"""
