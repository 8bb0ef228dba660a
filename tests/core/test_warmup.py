from eegcore import warmup
from eegcore.kernels import _jit


def test_warm_up_compiles_every_kernel_for_both_sample_types():
    seen = []
    warmup.compile_all(lambda name, done, count: seen.append((name, done, count)))
    names = warmup.steps()
    expected = [(name, i, len(names)) for i, name in enumerate(names)]
    assert seen == [*expected, ("", len(names), len(names))]
    idle = [k.__name__ for k in _jit.kernels if not k.signatures]
    assert idle == []


def test_compiled_kernels_are_found_again():
    warmup.compile_all()
    assert _jit.cache_folder is None or _jit.is_compiled()
