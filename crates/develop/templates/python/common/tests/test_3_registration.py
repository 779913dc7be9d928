"""Stage 3: the call reaches the operation."""

import cases


def test_the_call_reaches_the_device_operation(device, monkeypatch):
    import operation_name
    from operation_name import operation

    reached = []

    def launch(tensors, attributes, **rest):
        reached.append(tensors)
        return tensors[0]

    monkeypatch.setattr(operation, "launch", launch)
    arguments = cases.arguments(device)
    operation_name.operation_name(*arguments)
    assert len(reached) == 1, "the call does not reach operation.launch"
    assert [id(one) for one in reached[0]] == [id(one) for one in arguments]
