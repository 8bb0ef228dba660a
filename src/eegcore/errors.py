"""What can go wrong in eegcore, as one tree.

::

    EegcoreError
    ├── ReadError (OSError)            a file cannot be read as a recording
    │   ├── HeaderError (ValueError)   its header contradicts itself or the file
    │   └── FileChangedError           it changed or shrank after it was opened
    ├── FormatError (ValueError)       no adapter reads this kind of file
    ├── ArgumentError (ValueError)     a call's argument is out of its range
    │   ├── ChannelError (LookupError) a channel that the recording does not have
    │   ├── RateError                  channels of different rates in one call
    │   └── RangeError                 a time range outside the recording
    ├── UnitError (ValueError)         microvolt wanted of a signal of other unit
    ├── MissingExtraError (ImportError)  an optional package is not installed
    └── WorkerError (RuntimeError)     processes that should compute cannot be had

A message is one lower-case line: what is wrong, the value, what is allowed.
"""


class EegcoreError(Exception):
    """Root of every error that eegcore raises on purpose."""


class ReadError(EegcoreError, OSError):
    """A file cannot be read as a recording."""


class HeaderError(ReadError, ValueError):
    """A header contradicts itself, its format or the size of the file."""


class FileChangedError(ReadError):
    """The file under a recording changed or shrank after it was opened."""


class FormatError(EegcoreError, ValueError):
    """No adapter reads this kind of file."""


class ArgumentError(EegcoreError, ValueError):
    """A call's argument is of the wrong kind or out of its range."""


class ChannelError(ArgumentError, LookupError):
    """A channel that the recording does not have."""


class RateError(ArgumentError):
    """Channels of different rates were asked for in one call."""


class RangeError(ArgumentError):
    """A time range outside the recording, or empty."""


class UnitError(EegcoreError, ValueError):
    """Microvolt was wanted of a signal whose unit is no voltage."""


class MissingExtraError(EegcoreError, ImportError):
    """An optional package is not installed."""


class WorkerError(EegcoreError, RuntimeError):
    """Worker processes or a scheduler of them cannot be had, or differ from us."""
