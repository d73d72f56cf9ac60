"""gathernd.torch without PyTorch, and gathernd without gathernd.torch."""

from __future__ import annotations

from processes import run


def test_the_package_does_not_import_torch():
    run(
        "import sys, gathernd\n"
        "assert 'torch' not in sys.modules\n"
        "assert not hasattr(gathernd, 'torch')\n"
    )


def test_without_torch_the_error_says_how_to_install_it():
    run(
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "try:\n"
        "    import gathernd.torch\n"
        "except ModuleNotFoundError as error:\n"
        "    assert error.name == 'torch'\n"
        "    assert 'pip install \"gathernd[torch]\"' in str(error), error\n"
        "else:\n"
        "    raise AssertionError('imported')\n"
    )


def test_an_old_torch_is_an_import_error():
    run(
        "import sys, types\n"
        "torch = types.ModuleType('torch')\n"
        "torch.__version__, torch.library = '2.3.1', types.SimpleNamespace()\n"
        "sys.modules['torch'] = torch\n"
        "try:\n"
        "    import gathernd.torch\n"
        "except ImportError as error:\n"
        "    assert '2.4' in str(error), error\n"
        "    assert '2.3.1' in str(error), error\n"
        "else:\n"
        "    raise AssertionError('imported')\n"
    )
