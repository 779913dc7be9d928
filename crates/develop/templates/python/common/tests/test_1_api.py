"""Stage 1: the API exists and is documented."""

import inspect

import cases


def test_the_package_exports_the_function():
    import operation_name

    assert "operation_name" in operation_name.__all__
    assert callable(operation_name.operation_name)


def test_the_function_has_its_parameters():
    from operation_name import operation_name

    assert list(inspect.signature(operation_name).parameters) == cases.PARAMETERS


def test_the_function_is_documented():
    from operation_name import operation_name

    text = inspect.getdoc(operation_name) or ""
    missing = [name for name in cases.PARAMETERS if f"`{name}`" not in text]
    assert text and not missing, f"the documentation does not name {missing}"
