import { Agent, get } from 'node:http';

export interface Latencies {
  /** Of the very first request, with nothing kept from an earlier one. */
  readonly firstMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Of one answer, as it is sent. */
  readonly compressedBytes: number;
}

/**
 * Whole answers of one address to readers that ask again as soon as they have been answered.
 * Throws where an answer is not 200.
 */
export async function readConcurrently(
  url: string,
  { readers, requests }: { readers: number; requests: number },
): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true, maxSockets: readers });
  try {
    const first = await timedGet(url, agent);
    // Compiled and connected before it counts, as a server is that has been up for a while.
    for (let warm = 0; warm < 3 * readers; warm++) await timedGet(url, agent);
    const timesMs: number[] = [];
    let left = requests;
    const read = async () => {
      while (left-- > 0) timesMs.push((await timedGet(url, agent)).ms);
    };
    await Promise.all(Array.from({ length: readers }, read));
    timesMs.sort((a, b) => a - b);
    const quantile = (part: number) => timesMs[Math.ceil(part * timesMs.length) - 1] ?? Number.NaN;
    return {
      firstMs: first.ms,
      p50Ms: quantile(0.5),
      p95Ms: quantile(0.95),
      compressedBytes: first.bytes,
    };
  } finally {
    agent.destroy();
  }
}

function timedGet(url: string, agent: Agent): Promise<{ ms: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    get(url, { agent, headers: { 'Accept-Encoding': 'gzip' } }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve({ ms: performance.now() - startMs, bytes });
        else reject(new Error(`${url} answered ${answer.statusCode}.`));
      });
      answer.on('error', reject);
    }).on('error', reject);
  });
}
