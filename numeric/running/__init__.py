"""How long work runs: on which device, with which progress, into which table."""
