/** What the tests read of a result. */
export interface Item {
  readonly resultId: string;
  readonly outcome: { readonly kind: string };
  readonly address: string;
  readonly problem: { readonly op: string };
  readonly device: { readonly key: string };
}

/** The results of a sweep. */
async function resultsOf(gridUrl: string, sweep: string): Promise<Item[]> {
  const answer = await fetch(`${gridUrl}/api/v1/sweeps/${sweep}/results`);
  return (await answer.json()).items;
}

/** Every page by name, with the ids of a sweep on the grid in the addresses. */
export async function addresses(gridUrl: string, sweep: string): Promise<Record<string, string>> {
  const items = await resultsOf(gridUrl, sweep);
  const idOf = (kind: string) => items.find(({ outcome }) => outcome.kind === kind)?.resultId;
  const keys = [...new Set(items.map(({ device }) => device.key))];
  return {
    leaderboard: '/',
    'empty leaderboard': '/?dtype=f16',
    board: '/?shape=1024',
    portability: '/?shape=1024&view=portability&groups=gpu,software',
    'nothing portable': '/?dtype=i32&view=portability',
    sweeps: '/sweeps',
    sweep: `/sweeps/${sweep}`,
    'sorted sweep': `/sweeps/${sweep}?sort=rate&find=tiled+measured`,
    'new sweep': '/sweeps/new',
    'sweep by hand': `/sweeps/new?kernel=matmul/tiled&shape=64..256&device=${keys[0]}`,
    'copied sweep': `/sweeps/new?sweep=${sweep}`,
    result: `/results/${idOf('measured')}`,
    'skipped result': `/results/${idOf('skipped')}`,
    'incorrect result': `/results/${idOf('incorrect')}`,
    'failed result': `/results/${idOf('failed')}`,
    chart: `/chart?device=${keys[0]}&device=${keys[1]}&problem=matmul.1024.f32&problem=matmul.512.f32`,
    'nothing to draw': '/chart',
    best: '/best',
    'best of a suite': '/best?suite=llama-3.1-8b-decode&dtype=f16',
    'predicted best': '/best?op=matmul&m=8192&n=8192&k=8192&vendor=nvidia',
    'best of a transpose': '/best?op=transpose&rows=3072&cols=4096',
    'best, far away': '/best?m=8192&n=64&k=64&vendor=example&architecture=other',
    'no best': '/best?m=64&n=64&k=64&dtype=i32',
    kernels: '/kernels',
    'try a kernel': '/kernels/new',
    kernel: '/kernels/matmul/tiled',
    'emitted kernel': '/kernels/matmul/warp-tile',
    'unmeasured kernel': '/kernels/transpose/copy',
    devices: '/devices',
    device: `/devices/${encodeURIComponent(keys[0] ?? '')}`,
    'shipped device': '/devices/nvidia-nvidia_h200-vulkan-dawn',
    add: '/add',
    operate: '/operate',
    join: '/join',
    tokens: '/operate/tokens',
    login: '/login',
    docs: '/docs',
    primer: '/docs/measure',
    'primer before one of a long title': '/docs/performance-h200',
    'primer with rows of names': '/docs/operate',
    api: '/docs/api',
    'not found': '/nothing/here',
    refused: '/?op=conv&shape=%3Cb%3E&profile=slow',
  };
}
