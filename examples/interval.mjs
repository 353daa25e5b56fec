// Recomputes the medians and 95% intervals of a result by the formula of docs/measure.md: node examples/interval.mjs RESULT.json
import { readFileSync } from 'node:fs';

const quantile = (sorted, part) => {
  const at = Math.min(Math.max(part, 0), 1) * (sorted.length - 1);
  const low = sorted[Math.floor(at)];
  return low + (at % 1) * (sorted[Math.ceil(at)] - low);
};

/** Of the signs about the median: samples per independent one (Geyer, Kendall), and the lags they depend over. */
function dependence(signs) {
  const n = signs.length;
  const mean = signs.reduce((sum, sign) => sum + sign) / n;
  const covariance = (lag) =>
    signs.slice(lag).reduce((sum, sign, i) => sum + (sign - mean) * (signs[i] - mean), 0) / n;
  const variance = covariance(0);
  if (variance === 0) return [1, 1];
  let [sum, last, lags] = [-1, Infinity, 0];
  for (; lags < Math.min(n / 2, 2000); lags += 2) {
    last = Math.min(last, (covariance(lags) + covariance(lags + 1)) / variance);
    if (last <= 0) break;
    sum += 2 * last;
  }
  const isChance = lags <= 2 || sum < 1.5;
  const byLags = isChance ? [Math.max(sum, 0.7), 1] : [sum * (1 + (6 * lags) / n), lags];
  const r = covariance(1) / variance;
  if (n >= 200 || r * Math.sqrt(n) <= 2) return byLags;
  const corrected = r + (1 + 3 * r) / n;
  let byFirst = corrected >= 1 ? n : 1;
  for (let c = Math.sin((Math.PI / 2) * corrected), part = c; part > 1e-3 && byFirst < n; part *= c)
    byFirst = Math.min(byFirst + (4 / Math.PI) * Math.asin(part), n);
  return byFirst > byLags[0] ? [byFirst, Math.max(byLags[1], Math.ceil(byFirst / 2))] : byLags;
}

/** The two-sided 95% quantile of Student's t (Abramowitz and Stegun, 26.7.5). */
function student(df, z = 1.96) {
  if (df <= 1) return 12.706;
  if (df < 2) return 12.706 * (4.303 / 12.706) ** Math.log2(df);
  if (df < 3) return 4.303 * (3.182 / 4.303) ** (Math.log2(df / 2) / Math.log2(1.5));
  const [a, b] = [(z ** 3 + z) / 4, (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96];
  return (
    z + a / df + b / df ** 2 + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * df ** 3)
  );
}

export function intervalOf(samplesNs) {
  const [n, sorted] = [samplesNs.length, samplesNs.toSorted((a, b) => a - b)];
  const medianNs = quantile(sorted, 0.5);
  const [inflation, lags] = dependence(samplesNs.map((ns) => Math.sign(ns - medianNs)));
  const reach = n > 1 ? (student(n / (lags + 1)) * Math.sqrt(n * inflation)) / (2 * (n - 1)) : 1;
  const [lowNs, highNs] = [0.5 - reach, 0.5 + reach].map((part) => quantile(sorted, part));
  return { n, independent: Math.min(n / inflation, n), medianNs, lowNs, highNs };
}

/** Every series of samples of a file, by where it is in it. */
export const seriesIn = (value, path = []) =>
  value?.samplesNs?.length > 0 && value.lowNs
    ? [{ path: path.join('.'), series: value }]
    : Object.entries(Object(value)).flatMap(([name, part]) =>
        typeof part === 'object' ? seriesIn(part, [...path, name]) : [],
      );

if (process.argv[1] === import.meta.filename)
  for (const { path, series } of seriesIn(JSON.parse(readFileSync(process.argv[2], 'utf8'))))
    process.stdout.write(`${path} ${JSON.stringify(intervalOf(series.samplesNs))}\n`);
