import { PROFILE_WORDS } from '@tilemark/core';
import { kernelOf, kernelParts, shapeText } from '@tilemark/kernels';
import { group, rollup } from 'd3-array';
import { formatNs, formatShape, plural } from '@/ui/format';
import { type HeatCell, HeatMap } from '@/ui/heat-map';
import { floorOf, sidesOf, type WinnerMap, type Winning, winningKernels } from './winners';

/**
 * Paul Tol's "light" qualitative scheme (SRON/EPS/TN/09-002), made for labelled cells: told apart by the
 * colour-blind too, and legible under black text, so it is the same in both colour schemes.
 */
const TOL_LIGHT = [
  ...['#77aadd', '#ee8866', '#44bb99', '#ffaabb', '#bbcc33'],
  ...['#99ddff', '#eedd88', '#aaaa00', '#dddddd'],
];
const INK = '#000';
const fillOf = (at: number) => TOL_LIGHT[at % TOL_LIGHT.length];

/** As many shapes as one answer page takes. */
const MOST_SHAPES = 40;

/** Maps of a device beside each other, with one legend. Each cell leads to the answer for its shapes. */
export function WinnerMaps({ maps, device }: { maps: readonly WinnerMap[]; device: string }) {
  const kernels = winningKernels(maps);
  return (
    <div className="space-y-3">
      <ul className="flex flex-wrap gap-x-5 gap-y-1.5 text-[0.8125rem]">
        {kernels.map(({ dtypes, kernel, letter, from, to }, at) => (
          <li key={kernel} className="inline-flex items-baseline gap-1.5">
            <b
              className="inline-block w-5 rounded-tile text-center"
              style={{ background: fillOf(at), color: INK }}
            >
              {letter}
            </b>
            <span className="font-medium">{kernelParts(kernel).name}</span>
            <span className="text-xs text-muted">
              {dtypes.length < maps.length && `${dtypes.join()}, `}M{' '}
              {[...new Set([from, to])].map(sizeText).join('–')}
            </span>
          </li>
        ))}
      </ul>
      <div className={`grid gap-4 ${maps.length > 1 ? 'lg:grid-cols-2' : ''}`}>
        {maps.map((map) => (
          <OneMap key={map.dtype} map={map} kernels={kernels} device={device} />
        ))}
      </div>
    </div>
  );
}

function OneMap({
  map: { dtype, profile, shipped, winners },
  kernels,
  device,
}: {
  map: WinnerMap;
  kernels: readonly Winning[];
  device: string;
}) {
  const across = startsOf(winners.map((winner) => sidesOf(winner).m));
  const down = startsOf(winners.map((winner) => sidesOf(winner).k));
  const cells = group(
    winners,
    (winner) => floorOf(sidesOf(winner).k),
    (winner) => floorOf(sidesOf(winner).m),
  );
  return (
    <div className="min-w-0">
      <h3 className="mb-1 text-[0.8125rem]">
        {dtype}{' '}
        <span className="text-xs font-normal text-muted">
          {plural(winners.length, 'shape')}, {PROFILE_WORDS[profile]};{' '}
          {shipped ? `comes with Tilemark (${shipped})` : 'measured on this grid'}
        </span>
      </h3>
      <HeatMap
        caption={`Fastest matrix multiply kernel by M and K, ${dtype}`}
        corner="K \ M"
        columns={across.map(sizeText)}
        rows={down.map(sizeText)}
        cells={down.map((row) =>
          across.map((column) =>
            cellOf(cells.get(row)?.get(column) ?? [], kernels, { dtype, profile, gpu: device }),
          ),
        )}
      />
    </div>
  );
}

/** The letter of the kernel that wins most of the shapes of a cell; null without any. */
function cellOf(
  winners: WinnerMap['winners'],
  kernels: readonly Winning[],
  query: Readonly<Record<'dtype' | 'profile' | 'gpu', string>>,
): HeatCell | null {
  const [first] = winners;
  if (!first) return null;
  const wins = rollup(
    winners,
    (won) => won.length,
    ({ address }) => kernelOf(address),
  );
  const sorted = [...wins].toSorted(([, a], [, b]) => b - a);
  const at = kernels.findIndex(({ kernel }) => kernel === sorted[0]?.[0]);
  const shapes = winners.slice(0, MOST_SHAPES).map(({ problem }) => shapeText(problem));
  const about =
    winners.length === 1
      ? `${formatShape(shapes[0] ?? '')}: ${first.address}, ${formatNs(first.medianNs)}`
      : sorted.map(([kernel, count]) => `${kernel}: ${plural(count, 'shape')}`).join(', ');
  return {
    href: `/best?${new URLSearchParams({ op: first.problem.op, shapes: shapes.join(' '), ...query })}`,
    about,
    label: about,
    fill: fillOf(at),
    ink: INK,
    content: kernels[at]?.letter,
  };
}

/** Where the cells of a side begin. */
const startsOf = (sizes: readonly number[]) =>
  [...new Set(sizes.map(floorOf))].toSorted((a, b) => a - b);

const sizeText = (size: number) => (size >= 1024 ? `${size / 1024}k` : String(size));
