"""`python -m memary_core …`: see `memary_core.ops`."""

import sys

from memary_core.ops.command import main

sys.exit(main(sys.argv[1:]))
