"""The number of threads for threadpoolctl, which sets that of all libraries of a process."""

from threadpoolctl import LibController, register

from gathernd import _core

__all__ = ["ThreadController"]


class ThreadController(LibController):  # type: ignore[misc]  # it has no types
    """Finds the library, reads and sets its number of threads in the whole process."""

    user_api = "gathernd"
    internal_api = "gathernd"
    filename_prefixes = ("_core",)
    check_symbols = ("PyInit__core_of_main",)  # other packages have a _core, too

    def get_num_threads(self) -> int:
        """Return the number without the limits of `threads`, which are not to be set for all."""
        return _core.process_threads()

    def set_num_threads(self, num_threads: int) -> None:
        """Set the number, brought into the range that there is."""
        _core.set_num_threads(max(1, min(num_threads, 1024)))

    def get_version(self) -> str:
        """Return the library's version."""
        return _core.__version__

    def set_additional_attributes(self) -> None:
        """Set no others."""


register(ThreadController)
