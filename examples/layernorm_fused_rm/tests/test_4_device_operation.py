"""Stage 4: the device operation allocates its output and launches one program."""

import cases
import ttnn


def test_the_output_is_as_specified(device):
    from layernorm_fused_rm import operation

    tensors = cases.arguments(device)
    output = operation.allocate_output(tensors, cases.attributes(tensors))
    assert tuple(output.shape) == cases.OUTPUT_SHAPE
    assert output.dtype == tensors[0].dtype
    assert output.layout == tensors[0].layout
    assert output.memory_config() == tensors[0].memory_config()


def test_one_program_is_launched_with_the_output_last(device, monkeypatch):
    from layernorm_fused_rm import operation, program

    launched = []

    def generic_op(io_tensors, descriptor):
        launched.append((io_tensors, descriptor))
        return io_tensors[-1]

    monkeypatch.setattr(program, "create", lambda *rest, **options: "a program")
    monkeypatch.setattr(ttnn, "generic_op", generic_op)
    tensors = cases.arguments(device)
    output = operation.launch(tensors, cases.attributes(tensors))
    assert len(launched) == 1
    io_tensors, descriptor = launched[0]
    assert descriptor == "a program"
    assert [id(one) for one in io_tensors[:-1]] == [id(one) for one in tensors]
    assert io_tensors[-1] is output
