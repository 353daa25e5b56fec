import { type BestPageQuery, DIMENSIONS } from './query';

/** How the author of a library asks the same of the API, on the machine of a user. */
export function snippet(origin: string, query: BestPageQuery): string {
  const dimensions = DIMENSIONS[query.op]
    .map((name) => `  ${name}: '${query[name] ?? 1024}',`)
    .join('\n');
  return `const adapter = await navigator.gpu.requestAdapter();
const { vendor, architecture } = adapter.info;
const query = new URLSearchParams({
  op: '${query.op}',
${dimensions}
  dtype: '${query.dtype}',
  profile: '${query.profile}',
  vendor,
  architecture,
});
const answer = await fetch(\`${origin}/api/v1/best?\${query}\`);
if (!answer.ok) throw new Error((await answer.json()).detail);
const { address, wgsl, passes, fallback } = await answer.json();

const device = await adapter.requestDevice();
const module = device.createShaderModule({ code: wgsl });
// passes: the entry point and workgroups of each dispatch, in order`;
}
