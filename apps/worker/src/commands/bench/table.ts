import { outcomeReason, type RunResult } from '@tilemark/core';
import { kernelById, shapeText, type Variant } from '@tilemark/kernels';
import { table } from '../../table';
import { intervalText, significant, timeText } from '../../units';

/** One table a device and profile: what ran, how long, how fast, how sure. */
export function resultTables(results: readonly RunResult[]): string {
  const titles = [...new Set(results.map(titleOf))];
  return titles
    .map((title) => `${title}\n${tableOf(results.filter((each) => titleOf(each) === title))}`)
    .join('\n\n');
}

const titleOf = ({ device, profile }: RunResult) => `${device.name}, profile ${profile}`;

const HEAD = ['variant', 'problem', 'median', '95%', 'rate', 'of peak', 'vs naive', 'CV', 'remark'];
const ALIGNMENTS = HEAD.map((_, column) => (column >= 2 && column <= 7 ? 'right' : 'left'));

function tableOf(results: readonly RunResult[]): string {
  const rows = results.map((result) => rowOf(result, results));
  return table(HEAD, rows, ALIGNMENTS);
}

function rowOf(result: RunResult, peers: readonly RunResult[]): string[] {
  const { problem, outcome, rate } = result;
  const what = [shortAddress(result.variant), `${shapeText(problem)} ${problem.dtype}`];
  const remark = outcomeReason(outcome) ?? '';
  if (outcome?.kind !== 'measured' || !rate) {
    return [...what, '', '', '', '', '', '', `${outcome?.kind}: ${remark}`];
  }
  const { cold, roof } = outcome.measurement;
  const speedup = speedupOverNaive(result, peers);
  return [
    ...what,
    timeText(cold.medianNs),
    intervalText(cold.lowNs, cold.medianNs, cold.highNs),
    `${significant(rate.value)} ${rate.unit}`,
    roof ? `${((100 * roof.ns) / cold.medianNs).toFixed(0)}%` : '',
    speedup === null ? '' : `${significant(speedup)}x`,
    `${(100 * cold.cv).toFixed(1)}%`,
    remark,
  ];
}

/** Over the fastest naive variant of the same problem in the table; null where there is none. */
function speedupOverNaive(result: RunResult, peers: readonly RunResult[]): number | null {
  const naive = peers
    .filter((peer) => kernelById(peer.variant.kernel).rung === 1 && isSameProblem(peer, result))
    .map(medianNs)
    .filter((ns) => ns !== null);
  const own = medianNs(result);
  return own === null || naive.length === 0 ? null : Math.min(...naive) / own;
}

function isSameProblem(a: RunResult, b: RunResult): boolean {
  const text = ({ problem }: RunResult) => [problem.op, shapeText(problem), problem.dtype].join();
  return text(a) === text(b);
}

function medianNs({ outcome }: RunResult): number | null {
  return outcome?.kind === 'measured' ? outcome.measurement.cold.medianNs : null;
}

/** The address without what is left at its default: `matmul/tiled[TILE=8]`. */
function shortAddress({ kernel, tunables }: Variant): string {
  const chosen = kernelById(kernel)
    .tunables.filter((tunable) => tunables[tunable.name] !== tunable.default)
    .map(({ name }) => `${name}=${tunables[name]}`);
  return chosen.length > 0 ? `${kernel}[${chosen.join(',')}]` : kernel;
}
