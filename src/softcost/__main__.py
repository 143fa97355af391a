"""``python -m softcost`` is ``softcost``."""

from softcost.cli import main

if __name__ == "__main__":
    main(prog_name="softcost")
