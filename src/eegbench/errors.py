"""What can go wrong in eegbench, as one tree.

::

    EegbenchError
    ├── SetError (ValueError)            a set, run or predictions file is malformed
    ├── SourceError (OSError)            a public data set is missing or unreadable
    ├── ConfigError (ValueError)         a configuration key or value is unknown
    ├── RunBusyError (RuntimeError)      another process writes into this run
    └── HarnessError (RuntimeError)      our own failure, or a provider's: the row is
        ├── AgentCrashError              invalid, never counted as a wrong answer
        ├── AgentTimeoutError
        └── ProviderError

An agent's mistake is no exception: it is a JSON reply inside the episode.
"""


class EegbenchError(Exception):
    """Root of every error that eegbench raises on purpose."""


class SetError(EegbenchError, ValueError):
    """A set, a run or a predictions file is malformed."""


class SourceError(EegbenchError, OSError):
    """A public data set is missing or cannot be read."""


class ConfigError(EegbenchError, ValueError):
    """A configuration key or value is unknown."""


class RunBusyError(EegbenchError, RuntimeError):
    """Another process is writing into this run."""


class HarnessError(EegbenchError, RuntimeError):
    """A failure of the harness or a provider; never a wrong answer."""


class AgentCrashError(HarnessError):
    """An agent raised, or its process ended."""


class AgentTimeoutError(HarnessError):
    """An agent did not reply within its limit."""


class ProviderError(HarnessError):
    """A model's provider refused, failed or was not there."""
