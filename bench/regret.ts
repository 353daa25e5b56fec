// How well the selector chooses for shapes that it has no times of: each shape of an evidence file
// that ships is left out in turn, and the choice's time there is set against the best measured one.
// Where evidence of other devices ships, they choose for the device, too.
import {
  csvTable,
  deviceKey,
  type Evidence,
  geometricMean,
  observationsOf,
  shippedBeside,
  shippedEvidence,
} from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { flagsOf, matching } from './flags';
import { leaveDeviceOut, leaveOneShapeOut, type Regret } from './leave-out';

const USAGE = `usage: node apps/worker/dist/bench/regret.mjs [--evidence 'matmul f32 fast']
       (a pattern of files by op, dtype, profile and device; takes minutes for each)`;
const flags = flagsOf(USAGE, { evidence: 'matmul f32 fast' });

const shipped = shippedEvidence();
const problemsOf = ({ dtype, op, profile }: Evidence) => `${op} ${dtype} ${profile}`;
const nameOf = (file: Evidence) => `${problemsOf(file)} ${deviceKey(file.device)}`;

for (const file of matching(shipped, nameOf, { flag: '--evidence', pattern: flags.evidence })) {
  process.stdout.write(`# ${nameOf(file)}\n`);
  const times = observationsOf(file);
  const { device: name } = file.device;
  const shapes = leaveOneShapeOut(times, shippedBeside(file));
  process.stdout.write(`${regretText(shapes, `shapes of ${name} left out in turn`)}\n`);
  const others = shipped.filter(
    (other) => problemsOf(other) === problemsOf(file) && nameOf(other) !== nameOf(file),
  );
  if (others.length === 0) continue;
  const names = others.map(({ device }) => device.device).join(', ');
  const chosen = leaveDeviceOut(
    times,
    others.map((other) => observationsOf(other)),
  );
  const what = `shapes of ${name}, each chosen by the evidence of ${names}`;
  process.stdout.write(`${regretText(chosen, what)}\n`);
}

/** The distribution of regret, and the shapes with the most. */
function regretText(found: Iterable<Regret | null>, what: string): string {
  const rows = [...found].filter((row) => row !== null);
  if (rows.length === 0) return `0 ${what}: nothing to compare`;
  const regret = ({ bestNs, chosenNs }: Regret) => chosenNs / bestNs;
  const worst = rows.toSorted((a, b) => regret(b) - regret(a));
  const within = (part: number) => {
    const row = worst.at(-1 - Math.floor(part * (worst.length - 1)));
    return row ? regret(row).toFixed(3) : '';
  };
  return [
    `${rows.length} ${what}; time of the choice over the best measured time:`,
    `geometric mean ${geometricMean(rows.map(regret))?.toFixed(3)}, median ${within(0.5)}, nine of ten within ${within(0.9)}, worst ${within(1)}`,
    csvTable(
      ['shape', 'regret', 'predicted ns', 'chosen ns', 'best ns', 'the choice'],
      worst
        .slice(0, 10)
        .map((row) => [
          shapeText(row.problem),
          regret(row).toFixed(3),
          row.predictedNs === null ? '' : Math.round(row.predictedNs),
          Math.round(row.chosenNs),
          Math.round(row.bestNs),
          row.chosen,
        ]),
    ),
  ].join('\n');
}
