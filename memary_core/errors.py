"""What can go wrong, as one tree. Every message says what happened, what was kept and what to do.

MemaryError
├── InvalidInput           a value that cannot be stored as it is (also a ValueError)
├── NotFound               no such entity, fact, turn or event (also a LookupError)
├── ScopeError             a folder or graph that belongs to another scope or another home
├── StoreError             a file of the scope
│   ├── StoreBusy          another process held the scope's lock for too long
│   ├── StoreChanged       a file changed since it was read; nothing was overwritten
│   ├── StoreDamaged       a file that cannot be read and could not be set aside
│   └── StoreTooNew        written by a newer version; left untouched
├── GraphError             the graph refused a query
│   └── GraphUnavailable   the graph cannot be reached; attention and conversation go on without it
├── ModelError             the language model gave no usable answer
│   └── ModelUnavailable   the model cannot be reached or is not set up
└── ToolError              a tool gave no usable result; the conversation goes on without it
"""


class MemaryError(Exception):
    """The root of every error that memary raises on purpose."""


class InvalidInput(MemaryError, ValueError):
    """A value that cannot be stored as it is."""


class NotFound(MemaryError, LookupError):
    """No such entity, fact, turn or event."""


class ScopeError(MemaryError):
    """A folder or graph that belongs to another scope or another home."""


class StoreError(MemaryError):
    """A file of the scope could not be read or written."""


class StoreBusy(StoreError):
    """Another process held the scope's lock for too long."""


class StoreChanged(StoreError):
    """A file changed since it was read; nothing was overwritten."""


class StoreDamaged(StoreError):
    """A file that cannot be read and could not be set aside."""


class StoreTooNew(StoreError):
    """A file written by a newer version; it was left untouched."""


class GraphError(MemaryError):
    """The graph refused a query."""


class GraphUnavailable(GraphError):
    """The graph cannot be reached; attention and the conversation go on without it."""


class ModelError(MemaryError):
    """The language model gave no usable answer."""


class ModelUnavailable(ModelError):
    """The language model cannot be reached or is not set up."""


class ToolError(MemaryError):
    """A tool gave no usable result; the conversation goes on without it."""
