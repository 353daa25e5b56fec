import { answerFor, questionSchema } from '@tilemark/core';
import { parseProblem } from '@tilemark/kernels';
import { expect, test } from 'vitest';
import { tuneCommand } from './snippet';

test.each([
  ['tint', /^npx -y https:\/\/grid.test\/worker.tgz tune --op matmul --shape 64 /],
  ['naga', /^curl -fsS https:\/\/grid.test\/worker.tgz \| tar xzf - && deno run .* tune /],
  ['webkit', /^$/],
] as const)('the command that searches under %s fetches what it runs', (engine, command) => {
  const question = questionSchema.parse({ shapes: '64', engine });
  const problem = parseProblem({ op: 'matmul', shape: '64', dtype: 'f32' });
  const unknown = { basis: 'any', learned: [], limits: null, isHost: false, engine } as const;
  const row = { gpu: null, problem, ...answerFor(problem, 'default', unknown) };
  expect(tuneCommand('https://grid.test', question, row) ?? '').toMatch(command);
});
