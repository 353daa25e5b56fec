import type { Device, LeaderboardRow, Profile } from '@tilemark/core';
import { problemToOpen, type Store } from '@tilemark/core/server';
import { opOf, type Problem, shapeText } from '@tilemark/kernels';
import { problemText } from '../sweeps/runs';
import { problemKey, problemOf } from './query';

/** A problem with the row that each device has on its board; a device without one has not measured it. */
export interface ChartPanel {
  readonly problem: Problem;
  readonly rows: readonly LeaderboardRow[];
}

interface Chart {
  readonly devices: readonly Device[];
  readonly panels: readonly ChartPanel[];
  /** What these devices have measured besides, in the same unit. */
  readonly others: readonly Problem[];
  /** What was asked for and cannot be drawn, one sentence each. */
  readonly refused: readonly string[];
}

const unitOf = (problem: Problem): string => opOf(problem).rateUnit(problem);

/** Reads what a figure shows. Without a problem it opens on the one that tells most of these devices. */
export async function chartOf(
  store: Store,
  asked: {
    readonly device: readonly string[];
    readonly problem: readonly string[];
    readonly profile: Profile;
  },
): Promise<Chart> {
  const { profile } = asked;
  const found = await Promise.all(asked.device.map((key) => store.devices.get(key)));
  const devices = found.flatMap((device) => device ?? []);
  const keys = devices.map(({ key }) => key);
  const counted = await store.problemsOn({ devices: keys, profile });
  const named = asked.problem.map(problemOf);
  const first = named.find((problem) => problem) ?? problemToOpen(counted);
  const isAlike = (problem: Problem) => first && unitOf(problem) === unitOf(first);
  const problems = (named.some(Boolean) ? named : [first]).flatMap((problem) =>
    problem && isAlike(problem) ? [problem] : [],
  );
  const panels = await Promise.all(
    problems.map(async (problem) => {
      const { dtype, op } = problem;
      const board = await store.leaderboard({ op, dtype, shape: shapeText(problem), profile });
      return { problem, rows: board.rows.filter(({ device }) => keys.includes(device.key)) };
    }),
  );
  const drawn = new Set(problems.map(problemKey));
  return {
    devices,
    panels,
    others: counted.flatMap(({ problem }) =>
      isAlike(problem) && !drawn.has(problemKey(problem)) ? [problem] : [],
    ),
    refused: [
      ...asked.device.flatMap((key, at) => (found[at] ? [] : [`There is no device “${key}”.`])),
      ...named.flatMap((problem, at) => {
        if (!problem) return [`There is no problem “${asked.problem[at]}”.`];
        return isAlike(problem)
          ? []
          : [`${problemText(problem)} is counted in ${unitOf(problem)}: a figure has one unit.`];
      }),
    ],
  };
}
