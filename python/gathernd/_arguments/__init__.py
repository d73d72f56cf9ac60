"""What callers pass, as the arrays that the C++ core takes: conversion, and its errors.

`convert` is what the functions call; the other files are its parts, `array_like` says it to type
checkers, and `index_expression` is what stands between the brackets of `at`. Nothing here runs an
operator or knows of devices, and rules on several arguments together are the core's.
"""
