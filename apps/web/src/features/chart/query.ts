/** A figure of several devices: a panel per problem, a bar per device. */
import { type DeviceRef, hasProfiles, type Profile, profileSchema, RUNTIMES } from '@tilemark/core';
import { ifValid, type Problem, parseProblem, shapeText } from '@tilemark/kernels';
import { z } from 'zod';
import { shortDeviceName } from '../devices/short-device-name';

export const MOST_DEVICES = 8;
export const MOST_PROBLEMS = 6;

/** A problem as the address spells it: `matmul.1024.f32`. */
export const problemKey = (problem: Problem): string =>
  [problem.op, shapeText(problem), problem.dtype].join('.');

/** The reverse; undefined where it names none. */
export function problemOf(key: string): Problem | undefined {
  const [op = '', shape = '', dtype = ''] = key.split('.');
  return ifValid(() => parseProblem({ op, shape, dtype })) ?? undefined;
}

const listOf = (most: number, message: string) =>
  z
    .string()
    .max(2_000)
    .transform((text) => [...new Set(text.split(/[,;]/))])
    .pipe(z.array(z.string()).max(most, message))
    .default([]);

/** Devices by key, problems by `problemKey`, each name as often as there are. */
export const chartQuerySchema = z.object({
  device: listOf(MOST_DEVICES, `A figure has ${MOST_DEVICES} devices at most.`),
  problem: listOf(MOST_PROBLEMS, `A figure has ${MOST_PROBLEMS} problems at most.`),
  profile: profileSchema.default('default'),
});

/** A device in a figure; one runtime is told from another where it is not the usual one. */
export const nameInFigure = ({ class: kind, name, runtime = '' }: DeviceRef): string =>
  [shortDeviceName(name), !hasProfiles({ class: kind, runtime }) && RUNTIMES[runtime]?.title]
    .filter(Boolean)
    .join(', ');

/** What the address of a figure holds beside its devices. */
export const chartQuery = (problems: readonly Problem[], profile: Profile): string =>
  new URLSearchParams([
    ...problems.map((problem) => ['problem', problemKey(problem)]),
    ['profile', profile],
  ]).toString();
