import { expect, it } from 'vitest';
import { BufferUsage, download } from '../gpu/buffers';
import { useExecutor } from '../gpu/dawn.test-helper';
import { DeviceWatch } from '../gpu/watch';
import type { GpuKernel, TunableValues } from '../kernel/kernel';
import { specialise } from '../kernel/specialise';
import { resolveVariant } from '../kernel/variant';

/**
 * Writes worked-example.json, which the kernel's page draws: what one workgroup of matmul/tiled does with
 * matrices of 8 x 8 in tiles of 4 x 4, an element of A and B being its own address. Recorded from the
 * shader as it runs.
 */
const gpu = useExecutor();

const SIDE = 8;
const TILE = 4;
/** Of the workgroup's threads: x = 2, y = 1. */
const THREAD = TILE + 2;
/** Words of a record: two loads, the reads of A's and B's tile, its place in C, its sum, both tiles. */
const WORDS = 2 + 2 * TILE + 3 + 2 * TILE * TILE;

const both = <const T extends string>(...values: [T, T]) => values;
const VARIANTS = both('row', 'col').flatMap((A_LAYOUT) =>
  both('row', 'col').flatMap((B_LAYOUT) =>
    both('col-x', 'row-x').map((MAPPING) => ({ TILE, A_LAYOUT, B_LAYOUT, MAPPING })),
  ),
);

it('is what the shader does, and ends in the product', async () => {
  const lines: string[] = [];
  for (const variant of VARIANTS) {
    const { address, definition, tunables } = resolveVariant('matmul/tiled', variant);
    const steps = await stepsOf(definition as GpuKernel, tunables);
    expect([address, steps.at(-1)?.sums]).toEqual([address, product()]);
    const { TILE: _, ...others } = variant;
    lines.push(JSON.stringify({ kernel: definition.id, tunables: others, steps }));
  }
  await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('./worked-example.json');
});

/** Rows 4 to 7 and columns 0 to 3 of the product, by address. */
const product = (): Record<number, number> =>
  Object.fromEntries(
    Array.from({ length: TILE * TILE }, (_, at) => {
      const [row, col] = [TILE + Math.floor(at / TILE), at % TILE];
      const terms = Array.from({ length: SIDE }, (_, k) => (row * SIDE + k) * (k * SIDE + col));
      return [row * SIDE + col, terms.reduce((sum, term) => sum + term)];
    }),
  );

async function stepsOf(kernel: GpuKernel, tunables: TunableValues) {
  const words = await traced(recording(specialise(kernel, tunables, 'f32')), tunables, kernel);
  return Array.from({ length: SIDE / TILE }, (_, step) => {
    const records = Array.from({ length: TILE * TILE }, (_, thread) => {
      const from = (step * TILE * TILE + thread) * WORDS;
      return words.slice(from, from + WORDS);
    });
    const part = (record: readonly number[] = [], from: number, count: number) =>
      record.slice(from, from + count);
    const own = records[THREAD];
    const tilesFrom = WORDS - 2 * TILE * TILE;
    const placeOf = ([row = 0, col = 0]: readonly number[]) => row * SIDE + col;
    const [sumAt, placeAt] = [WORDS - 2 * TILE * TILE - 1, WORDS - 2 * TILE * TILE - 3];
    return {
      thread: placeOf(part(own, placeAt, 2)),
      loads: { A: own?.[0], B: own?.[1] },
      reads: { A: part(own, 2, TILE), B: part(own, 2 + TILE, TILE) },
      tiles: {
        A: part(own, tilesFrom, TILE * TILE),
        B: part(own, tilesFrom + TILE * TILE, TILE * TILE),
      },
      sums: Object.fromEntries(
        records.map((record) => [placeOf(part(record, placeAt, 2)), record[sumAt]]),
      ),
    };
  });
}

/** The shader, which also writes down what the threads of the lower left workgroup do in each step. */
function recording(source: string): string {
  const changes: readonly (readonly [string | RegExp, string])[] = [
    [/fn load_A\(i: u32\) -> S \{/, '$& loads[0] = i;'],
    [/fn load_B\(i: u32\) -> S \{/, '$& loads[1] = i;'],
    [/Acc\(a_tile\[(.*?)\]\)/, 'Acc(a_tile[noted(0, $1)])'],
    [/Acc\(b_tile\[(.*?)\]\)/, 'Acc(b_tile[noted(1, $1)])'],
    [
      'sum = add_products(sum, i, j);',
      `turn_of[0] = 0; turn_of[1] = 0;
    $&
    if (row / TILE == 1 && col / TILE == 0) {
      record((t / TILE * TILE * TILE + local.y * TILE + local.x) * ${WORDS}, row, col, u32(sum));
    }`,
    ],
  ];
  const changed = changes.reduce((text, [from, to]) => {
    const next = text.replace(from, to);
    if (next === text) throw new TypeError(`the shader has no ${from}`);
    return next;
  }, source);
  return `${changed}
@group(0) @binding(9) var<storage, read_write> records: array<u32>;
var<private> loads: array<u32, 2>;
var<private> reads: array<array<u32, TILE>, 2>;
var<private> turn_of: array<u32, 2>;
fn noted(tile: u32, at: u32) -> u32 {
  reads[tile][turn_of[tile]] = at;
  turn_of[tile]++;
  return at;
}
fn record(at: u32, row: u32, col: u32, sum: u32) {
  // Lengths that are not constant: a software GPU would spend seconds on unrolled loops.
  let turns = shape.k / 2;
  for (var i = 0u; i < turns / 2; i++) {
    records[at + i] = loads[i];
    for (var p = 0u; p < turns; p++) { records[at + 2 + i * TILE + p] = reads[i][p]; }
  }
  let after = at + 2 + 2 * TILE;
  records[after] = row;
  records[after + 1] = col;
  records[after + 2] = sum;
  for (var i = 0u; i < turns * TILE; i++) {
    records[after + 3 + i] = u32(a_tile[i]);
    records[after + 3 + TILE * TILE + i] = u32(b_tile[i]);
  }
}`;
}

/** What a recording shader writes down. */
async function traced(
  code: string,
  tunables: TunableValues,
  kernel: GpuKernel,
): Promise<readonly number[]> {
  const { device } = gpu;
  const { COPY_DST, COPY_SRC, STORAGE, UNIFORM } = BufferUsage;
  const filled = (data: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>, usage: number) => {
    const buffer = device.createBuffer({ size: data.byteLength, usage: usage | COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const addresses = Float32Array.from({ length: SIDE * SIDE }, (_, at) => at);
  const records = filled(new Uint32Array((SIDE / TILE) * TILE * TILE * WORDS), STORAGE | COPY_SRC);
  const bound = [
    ...[0, 1, 2].map((binding) => ({ binding, buffer: filled(addresses, STORAGE) })),
    { binding: 3, buffer: filled(new Uint32Array([SIDE, SIDE, SIDE, 0]), UNIFORM) },
    { binding: 9, buffer: records },
  ];
  const module = device.createShaderModule({ code });
  const { messages } = await module.getCompilationInfo();
  expect(messages.map(({ message }) => message)).toEqual([]);
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module, entryPoint: 'main' },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: bound.map(({ binding, buffer }) => ({ binding, resource: { buffer } })),
  });
  const shape = { m: SIDE, n: SIDE, k: SIDE };
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(...kernel.workgroups(tunables, { op: 'matmul', shape, dtype: 'f32' }));
  pass.end();
  device.queue.submit([encoder.finish()]);
  const { bytes } = await download(new DeviceWatch(device), records);
  for (const { buffer } of bound) buffer.destroy();
  return [...new Uint32Array(bytes)];
}
