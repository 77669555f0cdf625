"""The language of printed mathematics: its tokens, its nodes, and what is done with them."""
