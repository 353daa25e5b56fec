import type { KernelDetail } from '@tilemark/core';
import { formatCount } from '@/ui/format';
import { Panel, Section } from '@/ui/page';
import recorded from '../../../../../packages/kernels/src/matmul/worked-example.json';

type Step = (typeof recorded)[number]['steps'][number];

/**
 * What one workgroup does with small matrices, step by step: as recorded from the shader with the chosen
 * tunables, whatever the tile; nothing for a kernel that was not. Elements of A and B are their addresses.
 */
export function WorkedExample({ kernel: { chosen, id } }: { kernel: KernelDetail }) {
  const example = recorded.find(
    ({ kernel, tunables }) =>
      kernel === id && Object.entries(tunables).every(([name, value]) => chosen[name] === value),
  );
  if (!example) return null;
  return (
    <Section
      id="example"
      isFolded
      title="Worked example"
      note="8 × 8 in tiles of 4 × 4, by one workgroup as recorded; elements of A and B are their addresses"
    >
      <Panel className="divide-y divide-line text-[0.8125rem]">
        {example.steps.map((step, at) => (
          <div key={step.loads.A} className="p-4">
            <h3>Step {at + 1}</h3>
            <Drawn step={step} before={example.steps[at - 1]} />
          </div>
        ))}
      </Panel>
    </Section>
  );
}

function Drawn({ before, step }: { before: Step | undefined; step: Step }) {
  const { loads, reads, thread, tiles } = step;
  const sums = new Map(Object.entries(step.sums).map(([at, sum]) => [Number(at), sum]));
  const sumBefore = before?.sums[String(thread) as keyof Step['sums']] ?? 0;
  const products = reads.A.map((at, p) => `${tiles.A[at]} × ${tiles.B[reads.B[p] ?? 0]}`);
  return (
    <>
      <p className="mt-1 max-w-prose text-pretty text-muted">
        Each thread copies an element of A and one of B to workgroup memory, waits for the others,
        and adds products. The one outlined copies {loads.A} and {loads.B}, then reads what is
        filled:{' '}
        <span className="text-ink">
          {[formatCount(sumBefore), ...products].join(' + ')} = {formatCount(sums.get(thread) ?? 0)}
        </span>
      </p>
      <div className="mt-3 flex flex-wrap gap-4">
        {(['A', 'B'] as const).map((name) => (
          <div key={name} className="flex gap-4">
            <Matrix
              {...{ name, side: 8, own: loads[name], filled: tiles[name] }}
              numbers={new Map(tiles[name].map((at) => [at, at]))}
            />
            <Matrix
              {...{ name: `tile of ${name}`, side: 4, filled: reads[name] }}
              own={tiles[name].indexOf(loads[name])}
              numbers={new Map(tiles[name].entries())}
            />
          </div>
        ))}
        <Matrix name="C so far" side={8} cell={36} own={thread} filled={[]} numbers={sums} />
      </div>
    </>
  );
}

/** A square of elements by address: some with a number, some filled, one outlined. */
function Matrix({
  cell = 24,
  filled,
  name,
  numbers,
  own,
  side,
}: {
  /** Px of an element's side. */
  cell?: number;
  filled: readonly number[];
  name: string;
  numbers: ReadonlyMap<number, number>;
  own: number;
  side: number;
}) {
  const px = cell * side;
  const placeOf = (at: number) => [(at % side) * cell, Math.floor(at / side) * cell] as const;
  const square = (at: number) => `M${placeOf(at)}h${cell}v${cell}h${-cell}z`;
  const lines = Array.from(
    { length: side + 1 },
    (_, i) => `M0,${i * cell}h${px}M${i * cell},0v${px}`,
  );
  return (
    <figure>
      <figcaption className="mb-1 text-xs text-muted">{name}</figcaption>
      <svg
        {...{ width: px + 2, height: px + 2, viewBox: `-1 -1 ${px + 2} ${px + 2}`, role: 'img' }}
        aria-label={`${name}: ${[...numbers.values()].join(', ')}`}
      >
        <path d={filled.map(square).join('')} fill="var(--accent-soft)" />
        <path d={lines.join('')} stroke="var(--line)" />
        <path d={square(own)} fill="none" stroke="var(--accent)" strokeWidth="2" />
        <g fill="var(--ink)" fontSize="10" textAnchor="middle">
          {[...numbers].map(([at, number]) => (
            <text key={at} transform={`translate(${placeOf(at)})`} x={cell / 2} y={cell / 2 + 3.5}>
              {number}
            </text>
          ))}
        </g>
      </svg>
    </figure>
  );
}
