"""Stage 1: the API exists and is documented."""

import inspect

import cases


def test_the_package_exports_the_function():
    import layernorm_fused_rm

    assert "layernorm_fused_rm" in layernorm_fused_rm.__all__
    assert callable(layernorm_fused_rm.layernorm_fused_rm)


def test_the_function_has_its_parameters():
    from layernorm_fused_rm import layernorm_fused_rm

    assert list(inspect.signature(layernorm_fused_rm).parameters) == cases.PARAMETERS


def test_the_function_is_documented():
    from layernorm_fused_rm import layernorm_fused_rm

    text = inspect.getdoc(layernorm_fused_rm) or ""
    missing = [name for name in cases.PARAMETERS if f"`{name}`" not in text]
    assert text and not missing, f"the documentation does not name {missing}"
