// Prints what the statistics are worth, on simulated devices measured by the code that measures
// real ones: how often the 95% intervals contain the truth, how often equal kernels are declared
// different, how often different ones are, and how stable ranks are; beside nvbench's rules.
// usage: npm run bench:statistics [-- --trials 1000]      (some ten minutes on one core)
import { countOf, flagsOf } from './flags';
import {
  declaredDifferent,
  headlineCoverage,
  NOISE_NAMES,
  powerAtEqualFalseRate,
  rankStability,
  seriesCoverage,
  typicalWidth,
} from './statistics-scenarios';

const flags = flagsOf('usage: npm run bench:statistics [-- --trials 1000]', { trials: '1000' });
const trials = countOf(flags, 'trials');
const few = Math.max(Math.round(trials / 5), 20);

const percent = (part: number) => `${(100 * part).toFixed(1)}%`;
const line = (cells: readonly string[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
function head(title: string, columns: readonly string[]): void {
  process.stdout.write(`\n${title}\n\n`);
  line(columns);
  line(columns.map(() => '---'));
}

const CVS = [0.005, 0.02, 0.05] as const;
const SAMPLES_MS = [1, 20] as const;

head(`The 95% interval of a series contains the level it ran at (${trials} series each)`, [
  'noise',
  ...SAMPLES_MS.flatMap((ms) => CVS.map((cv) => `${ms} ms, CV ${percent(cv)}`)),
]);
for (const noise of NOISE_NAMES) {
  const cells = SAMPLES_MS.flatMap((sampleMs) =>
    CVS.map((cv) => percent(seriesCoverage({ noise, level: 'steady', cv, sampleMs }, trials, 1))),
  );
  line([noise, ...cells]);
}

const COUNTS = [1, 2, 5, 10] as const;
head(
  `The 95% interval of a headline contains the device's level (${trials} headlines each; CV 0.5%, the spread by the prior)`,
  ['invocations', ...COUNTS.map(String)],
);
for (const level of ['between-run 0.3%', 'drift 1%/min'] as const) {
  const scenario = { noise: 'iid', level, cv: 0.005, sampleMs: 10 } as const;
  line([level, ...COUNTS.map((count) => percent(headlineCoverage(scenario, count, trials, 1)))]);
}

head(`Declared faster or slower (${few} pairs each)`, [
  'device',
  'CV',
  'true difference',
  'Tilemark',
  'nvbench, noise',
  'nvbench, gap',
]);
for (const level of ['steady', 'between-run 0.3%', 'drift 1%/min'] as const) {
  for (const cv of CVS) {
    for (const difference of [0, 0.01, 0.02, 0.05]) {
      const scenario = { noise: 'iid', level, cv, sampleMs: 5 } as const;
      const { gap, noise, ours } = declaredDifferent(scenario, 1 + difference, few, 1);
      const cells = [percent(cv), percent(difference), percent(ours), percent(noise), percent(gap)];
      line([level, ...cells]);
    }
  }
}

head(`Declared different where medians are not known to ±2% (${trials} pairs each)`, [
  'noise',
  'CV',
  'typical interval',
  'equal',
  '1.5 times slower',
]);
for (const [noise, cv] of [
  ['iid', 0.3],
  ['iid', 1],
  ['AR(1) 0.9', 0.1],
  ['AR(1) 0.9', 0.3],
  ['bimodal', 0.3],
  ['heavy tails', 0.5],
] as const) {
  const scenario = { noise, level: 'steady', cv, sampleMs: 20 } as const;
  const [equal, slower] = [1, 1.5].map((by) => declaredDifferent(scenario, by, trials, 1).ours);
  const width = `±${percent(typicalWidth(scenario, few, 1))}`;
  line([noise, percent(cv), width, percent(equal ?? 0), percent(slower ?? 0)]);
}

head(
  `Found different, if each rule is set to take the margin of 0.5% for a difference in 5% (${trials} pairs each)`,
  ['device', 'noise', 'CV', 'true difference', 'Tilemark', 'nvbench, noise', 'nvbench, gap'],
);
for (const level of ['steady', 'between-run 0.3%'] as const) {
  for (const noise of ['iid', 'heavy tails'] as const) {
    for (const cv of CVS) {
      for (const difference of [0.01, 0.02]) {
        const scenario = { noise, level, cv, sampleMs: 5 } as const;
        const {
          gap,
          noise: means,
          ours,
        } = powerAtEqualFalseRate(scenario, 1 + difference, trials, 1);
        const found = [percent(ours), percent(means), percent(gap)];
        line([level, noise, percent(cv), percent(difference), ...found]);
      }
    }
  }
}

head(
  `Ranks of four equal devices, the first measured 20 times and the others 5, and one 3% slower (${few} boards each)`,
  ['device', 'equal ones ranked apart', 'the slower not behind', 'apart by the best run'],
);
for (const level of ['steady', 'between-run 0.3%', 'drift 1%/min'] as const) {
  const scenario = { noise: 'iid', level, cv: 0.005, sampleMs: 20 } as const;
  const { joined, split, splitByBest } = rankStability(scenario, few, 1);
  line([level, percent(split), percent(joined), percent(splitByBest)]);
}
