"""``python -m cltheory`` is the command."""

from cltheory.cli.main import main

if __name__ == "__main__":
    main()
