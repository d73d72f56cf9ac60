"""The commands of ``python -m gathernd``, a file each; `__main__` reads the command line.

`bench` has the kinds of work and the timing that the benchmarks use, too. No function of the
package imports from here: what a command needs costs `import gathernd` nothing.
"""
