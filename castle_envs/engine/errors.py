"""The errors users meet. Each message names what was wrong and what is allowed."""


class CastleEnvsError(Exception):
    """Base of every error this package raises on purpose."""


class IllegalActionError(CastleEnvsError, AssertionError):
    """An action that is no integer, out of range, or not legal now; the state is unchanged."""


class FinishedGameError(CastleEnvsError, ValueError):
    """An action for an agent whose game is over: only None is left to it."""


class OptionError(CastleEnvsError, ValueError):
    """A keyword, option or deal with a name or value that is not allowed."""


class UnknownOptionError(OptionError, TypeError):
    """A keyword that does not exist; the message lists those that do."""


class StateError(CastleEnvsError, ValueError):
    """A saved game that is damaged, of another game or version, or breaks the rules."""


class LayoutError(CastleEnvsError, ValueError):
    """An observation or a policy made for another observation layout."""


class CheckpointError(CastleEnvsError, ValueError):
    """A policy checkpoint or resume state that is missing, damaged, tampered or of another kind."""
