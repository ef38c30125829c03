"""`python -m companion`, where the entry point is not on the path."""

from companion.cli import main

if __name__ == "__main__":
    main()
