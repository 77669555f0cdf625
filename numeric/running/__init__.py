"""How long work runs: on which device, in which processes, into which table."""
