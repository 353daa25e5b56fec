import { summarise } from '../packages/core/src/statistics/summary';

/**
 * A file as `tilemark bench --json` writes it, with every kind of outcome: what
 * pages show is then the same on each machine. The numbers are made up.
 */
export function benchFile() {
  const environments = DEVICES.map(({ identity }) => environment(identity));
  const [first, ...others] = environments;
  return {
    version: 1,
    environment: first,
    environments: others,
    results: DEVICES.flatMap(resultsOf).map((result, index) => ({
      runId: `run-${index}`,
      resultId: null,
      profile: 'default',
      policy: 'default',
      rate: null,
      ...result,
    })),
  };
}

interface FixtureDevice {
  readonly key: string;
  /** Times relative to the first device's. */
  readonly pace: number;
  readonly identity: Readonly<Record<string, string>>;
}

const DEVICES: readonly FixtureDevice[] = [
  {
    key: 'example-example_tile_100-vulkan-dawn',
    pace: 1,
    identity: {
      vendor: 'example',
      architecture: 'tile-1',
      device: 'Example Tile 100',
      backend: 'vulkan',
      runtime: 'dawn',
      class: 'gpu',
    },
  },
  {
    key: 'mesa-llvmpipe_llvm_15_0_6_256_bits_on_example_cpu_2_cores-vulkan-dawn',
    pace: 160,
    identity: {
      vendor: 'mesa',
      architecture: 'swrast',
      device: 'llvmpipe (LLVM 15.0.6, 256 bits) on Example CPU (2 cores)',
      backend: 'vulkan',
      runtime: 'dawn',
      class: 'software',
    },
  },
];

const LAYOUTS = [
  ['row', 'row', 2.1],
  ['row', 'col', 2],
  ['col', 'row', 1.1],
  ['col', 'col', 1],
] as const;

function resultsOf({ key, pace, identity }: FixtureDevice) {
  const device = { key, name: identity.device, class: identity.class };
  const matmul = (n: number) => ({ op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' });
  const naive = { kernel: 'matmul/naive', tunables: { MAPPING: 'row-x' } };
  const ended = [256, 512, 1024].flatMap((n) => {
    const unitNs = ((2 * n ** 3) / 5e3) * pace;
    return [
      { variant: naive, problem: matmul(n), outcome: measured(4 * unitNs, 0.6 * unitNs) },
      ...LAYOUTS.map(([A_LAYOUT, B_LAYOUT, times]) => ({
        variant: { kernel: 'matmul/tiled', tunables: { A_LAYOUT, B_LAYOUT, MAPPING: 'row-x' } },
        problem: matmul(n),
        outcome: measured(times * unitNs, 0.6 * unitNs),
      })),
    ];
  });
  // Workgroups of 64, 256 and 1,024 threads: what curves and heat maps are drawn of.
  const sized = [8, 16, 32].flatMap((side) => {
    const roofNs = 0.6 * ((2 * 1024 ** 3) / 5e3) * pace;
    const unitNs = (roofNs / 0.6) * (1 + 4 / side);
    return [
      {
        variant: { kernel: 'matmul/naive', tunables: { BLOCK: side } },
        problem: matmul(1024),
        outcome: measured(3 * unitNs, roofNs),
      },
      {
        variant: { kernel: 'matmul/tiled', tunables: { TILE: side } },
        problem: matmul(1024),
        outcome: measured(unitNs, roofNs),
      },
    ];
  });
  const transpose = { op: 'transpose', shape: { rows: 3072, cols: 4096 }, dtype: 'f32' };
  const ways = [
    {
      variant: { kernel: 'transpose/naive', tunables: {} },
      problem: transpose,
      outcome: measured(9e4 * pace, 3e4 * pace, 'bandwidth'),
    },
    {
      variant: { kernel: 'transpose/tiled', tunables: { TILE: 16 } },
      problem: transpose,
      outcome: { kind: 'skipped', why: 'the device allows fewer invocations per workgroup' },
    },
    {
      variant: { kernel: 'transpose/padded', tunables: {} },
      problem: transpose,
      outcome: {
        kind: 'incorrect',
        when: 'before',
        worst: { row: 3, col: 17, got: 'NaN', want: 0.25, bound: 0 },
      },
    },
    {
      variant: naive,
      problem: matmul(64),
      outcome: {
        kind: 'failed',
        stage: 'compile',
        message: '12:3: unresolved value <b>tile</b>\n  acc += tile[row];\n         ^^^^',
      },
    },
  ];
  return [...ended, ...sized, ...ways].map((result) => ({
    ...result,
    address: result.variant.kernel,
    device,
  }));
}

const TICK_NS = 32;

export function measured(
  medianNs: number,
  roofNs: number,
  bound = 'compute',
  policy: 'default' | 'smoke' = 'default',
) {
  // Symmetric around the median and narrow enough to be ranked.
  // In whole ticks per pass of a millisecond.
  const dispatches = Math.ceil(1e6 / medianNs);
  const samplesNs = Array.from({ length: 41 }, (_, i) => {
    const passNs = dispatches * medianNs * (1 + (i % 2 ? -1 : 1) * 0.0002 * i);
    return (Math.round(passNs / TICK_NS) * TICK_NS) / dispatches;
  });
  const verification = { method: 'whole', worstRatio: 0.12, checked: 4096, ns: 2e6 };
  const clocks = { smMHz: 1980, memoryMHz: 2619, temperatureC: 41, powerW: 210, limitedBy: [] };
  return {
    kind: 'measured',
    measurement: {
      methodologyVersion: 4,
      policy,
      timer: { kind: 'timestamp', tickNs: TICK_NS },
      dispatchesPerSample: dispatches,
      bufferSets: 1,
      cold: summarise(samplesNs),
      hot: null,
      compileNs: 4e7,
      transfer: { hostToDeviceNs: null, deviceToHostNs: 3e5 },
      stop: 'capped',
      discarded: [{ count: 2, why: 'the canary ran 7% slower than its best' }],
      verification: {
        ...{ before: verification, after: verification },
        ...{ seed: 1, dispatches: 6, rms: 0.2, freshRatio: 1, ns: 2e6 },
      },
      roof: { ns: roofNs, bound },
      clocks: { before: clocks, after: clocks },
      unranked: null,
    },
  };
}

function environment(device: FixtureDevice['identity']) {
  return {
    device,
    capabilities: {
      features: ['timestamp-query', 'shader-f16'],
      maxComputeInvocationsPerWorkgroup: 1024,
      maxComputeWorkgroupSizeX: 1024,
      maxComputeWorkgroupSizeY: 1024,
      maxComputeWorkgroupSizeZ: 64,
      maxComputeWorkgroupStorageSize: 49152,
      maxComputeWorkgroupsPerDimension: 65535,
      maxStorageBufferBindingSize: 2 ** 31 - 4,
      maxBufferSize: 2 ** 31,
    },
    profile: 'default',
    driver: 'example 1.0',
    toggles: { enabled: [], disabled: ['timestamp_quantization'] },
    runtimeVersions: { node: '22.0.0', webgpu: '0.6.2' },
    os: 'Linux 6.1 x64',
    cpu: { model: 'Example CPU', cores: 8 },
    memoryBytes: 2 ** 34,
    tilemarkVersion: '0.1.0',
  };
}
