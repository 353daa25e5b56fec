/** Where an export of `/best` is from: who wrote it and when, and what its rows rest on. */
import { rollup } from 'd3-array';
import { version } from '../../package.json';
import { DATA_LICENCE } from '../api/licence';
import type { Question } from '../api/question';
import { METHODOLOGY_VERSION } from '../measure/outcome';
import type { BestRow } from './best';
import { oneText } from './best-one';

/** The commit that a bundle was built from, as scripts/bundle.mjs defines it where it is known. */
declare const TILEMARK_COMMIT: string | undefined;

/** What a row rests on: the source of its time; `untimed`: it has none; `none`: nothing runs there. */
export const evidenceFor = ({ best }: BestRow) =>
  best === null ? 'none' : (best.quote?.source ?? 'untimed');

/** What must be known of the GPUs before anything else: which of them nobody has timed. Empty: all were. */
function noticesOf(rows: readonly BestRow[]): string[] {
  const gpus = rollup(
    rows,
    (some) => some,
    ({ gpu }) => gpu?.id ?? 'any GPU',
  );
  const timedOf = (ofGpu: readonly BestRow[]) => ofGpu.filter(({ best }) => best?.quote);
  const untimed = [...gpus].filter(([, ofGpu]) => timedOf(ofGpu).length === 0).map(([id]) => id);
  const borrowed = [...gpus].flatMap(([id, ofGpu]) => {
    const timed = timedOf(ofGpu);
    if (timed.length === 0 || timed.some(({ best }) => best?.basis === 'device')) return [];
    const others = [...new Set(timed.map(({ best }) => best?.quote?.device))].join(', ');
    return `NOT TIMED: nobody has timed ${id} itself; its times are those of ${others}.`;
  });
  const who = untimed.join(', ');
  return [
    ...(who ? [`NOT TIMED: nobody has timed ${who}; its rows are untested choices.`] : []),
    ...borrowed,
  ];
}

/** All of it, as JSON has it. */
export function provenanceOf(rows: readonly BestRow[], { op, dtype, profile }: Question) {
  const quotes = rows.flatMap(({ best }) => best?.quote ?? []);
  const devices = quotes.map(({ device, driver, measuredAt, profile: under }) =>
    JSON.stringify({ device, driver, profile: under, day: measuredAt.slice(0, 10) }),
  );
  return {
    notices: noticesOf(rows),
    one: oneText(rows),
    generator: `Tilemark ${version}`,
    commit: typeof TILEMARK_COMMIT === 'undefined' ? null : TILEMARK_COMMIT,
    written: new Date().toISOString(),
    ...{ op, dtype, profile, methodology: METHODOLOGY_VERSION },
    engines: [...new Set(rows.flatMap(({ best }) => best?.engine ?? []))],
    devices: [...new Set(devices)].map((text): Timed => JSON.parse(text)),
    /** How many rows rest on what. */
    evidence: Object.fromEntries(rollup(rows, (some) => some.length, evidenceFor)),
    licence: `${DATA_LICENCE}, the times; MIT, the kernels`,
  };
}

/** A device and what it was timed with. */
type Timed = Readonly<Record<'device' | 'driver' | 'profile' | 'day', string>>;

/** The same as lines of a comment: what nobody has timed comes first. */
export function provenanceLines(rows: readonly BestRow[], question: Question): string[] {
  const { devices, evidence, notices, one, ...rest } = provenanceOf(rows, question);
  const { commit, dtype, engines, generator, licence, methodology, op, profile, written } = rest;
  const counts = Object.entries(evidence).map(([source, count]) => `${count} ${source}`);
  return [
    ...notices,
    ...(one ? [one] : []),
    `${op} ${dtype}, profile ${profile}, engine ${engines.join(', ')}, by ${generator}${commit ? ` (${commit})` : ''}, ${written}, methodology ${methodology}.`,
    ...devices.map(
      ({ day, device, driver, profile: under }) =>
        `Timed on ${device}, driver ${driver}, profile ${under}, until ${day}.`,
    ),
    `Rows: ${counts.join(', ')}. Predicted times were not measured.`,
    `Licence: ${licence}.`,
  ].map((line) => line.replaceAll(/[\s\\]+/g, ' '));
}
