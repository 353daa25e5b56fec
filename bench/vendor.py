"""The vendor's library through PyTorch, by the protocol of docs/measure.md.

Reads problems as JSON lines, {"op": "matmul", "sizes": [m, n, k], "dtype": "f32"}, B stored as
N x K with "transposed": true, and answers each with its series: {"medianNs", "intervalNs", "cv", "samples", "device"}.
f32 runs without TF32; f16 accumulates in f32. A transpose is a copy through a
transposed view. Inputs are those of packages/kernels/src/verify/inputs.ts, bit for bit.
"""
import json
import math
import sys
import time

import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False

SEED = 1
COVER_BYTES = 256 * 2**20  # buffer sets cover this much, so that each finds the cache cold
SAMPLE_NS = 1e6
WARM_UP_NS = 0.5e9
SAMPLES = 30
TOTAL_NS = 0.5e9
DTYPES = {"f32": (torch.float32, 24), "f16": (torch.float16, 11)}


def hash32(x):
    """lowbias32, on integers and on int64 tensors."""
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ (x >> 15)) * 0x846CA68B) & 0xFFFFFFFF
    return x ^ (x >> 16)


def filled(rows, cols, dtype, tensor, quick=False):
    """One input: odd multiples of 2^-bits in (-1, 1); if quick, like them but not the same."""
    torch_dtype, bits = DTYPES[dtype]
    if quick:
        return (2 * torch.rand(rows, cols, device="cuda") - 1).to(torch_dtype)
    stream = hash32((hash32(hash32(SEED)) + tensor) & 0xFFFFFFFF)
    out = torch.empty(rows * cols, device="cuda", dtype=torch_dtype)
    step = 2**24  # in pieces: int64 indices of a whole tensor would not fit beside it
    for start in range(0, rows * cols, step):
        end = min(start + step, rows * cols)
        index = torch.arange(start, end, device="cuda", dtype=torch.int64)
        odd = 2 * (hash32((index + stream) & 0xFFFFFFFF) >> (32 - bits)) + 1 - 2**bits
        out[start:end] = odd.to(torch.float64).div_(2**bits).to(torch_dtype)
    return out.view(rows, cols)


def run_of(op, sizes, dtype, transposed, quick):
    """A function that computes the problem once, on the next of its buffer sets."""
    torch_dtype, _ = DTYPES[dtype]
    if op == "matmul":
        m, n, k = sizes
        shapes, out_shape = [(m, k), (n, k) if transposed else (k, n)], (m, n)
    else:
        rows, cols = sizes
        shapes, out_shape = [(rows, cols)], (cols, rows)
    elements = sum(rows * cols for rows, cols in [*shapes, out_shape])
    count = min(max(math.ceil(COVER_BYTES / (elements * torch_dtype.itemsize)), 1), 128)
    sets = [
        (
            [filled(*shape, dtype, tensor, quick) for tensor, shape in enumerate(shapes)],
            torch.empty(out_shape, device="cuda", dtype=torch_dtype),
        )
        for _ in range(count)
    ]
    turn = 0

    def run():
        nonlocal turn
        inputs, out = sets[turn % count]
        turn += 1
        if op == "matmul":
            a, b = inputs
            torch.mm(a, b.t() if transposed else b, out=out)
        else:
            out.copy_(inputs[0].t())

    return run


def sample_ns(run, dispatches):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(dispatches):
        run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e6


def quick_samples(run):
    """A few short samples, as `tilemark tune --suite` takes. One graph: the host is not in the way."""
    for _ in range(3):
        run()
    once = sample_ns(run, 3) / 3
    dispatches = min(max(math.ceil(SAMPLE_NS / once), 2), 128)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(dispatches):
            run()
    sample_ns(graph.replay, 10)
    return [sample_ns(graph.replay, 1) / dispatches for _ in range(15)]


def samples_of(run):
    dispatches, began = 1, time.monotonic_ns()
    while True:
        ns = sample_ns(run, dispatches)
        if ns < SAMPLE_NS:
            dispatches = min(math.ceil(1.2 * SAMPLE_NS * dispatches / max(ns, 1)), 4 * dispatches)
        elif time.monotonic_ns() - began >= WARM_UP_NS:
            break
    samples = []
    while len(samples) < SAMPLES or sum(samples) * dispatches < TOTAL_NS:
        samples.append(sample_ns(run, dispatches) / dispatches)
    return samples


def measured(op, sizes, dtype, transposed=False, quick=False):
    run = run_of(op, sizes, dtype, transposed, quick)
    samples = quick_samples(run) if quick else samples_of(run)
    ordered, n = sorted(samples), len(samples)
    half = 0.98 * math.sqrt(n)  # 95% order-statistic interval of the median
    mean = sum(samples) / n
    deviation = math.sqrt(sum((value - mean) ** 2 for value in samples) / (n - 1))
    return {
        "medianNs": (ordered[(n - 1) // 2] + ordered[n // 2]) / 2,
        "intervalNs": [
            ordered[max(math.floor(n / 2 - half) - 1, 0)],
            ordered[min(math.ceil(n / 2 + half), n - 1)],
        ],
        "cv": deviation / mean,
        "samples": n,
        "device": torch.cuda.get_device_name(),
        "library": f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}",
    }


for line in sys.stdin:
    answer = measured(**json.loads(line))
    print(json.dumps(answer), flush=True)
    torch.cuda.empty_cache()
