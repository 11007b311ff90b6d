"""`python -m symattn`: the command line."""

from symattn.cli import main

if __name__ == "__main__":
    main()
