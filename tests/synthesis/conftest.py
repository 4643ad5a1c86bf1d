import sys

sys.path.insert(0, "/tmp/sm")
import double  # noqa
