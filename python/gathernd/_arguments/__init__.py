"""What callers pass, as the arrays that the C++ core takes: conversion, and its errors.

The functions call `convert`; the other files are its parts. `array_like` has the types for type
checkers, and `index_expression` what stands between the brackets of `at`. Nothing here runs an
operator or knows of devices. Rules on several arguments together are in the core.
"""
