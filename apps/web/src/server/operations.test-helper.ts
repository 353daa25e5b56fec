import type { z } from 'zod';
import { v1 } from './api/app';
import type { Operation } from './api/operation';

/** An operation of API v1 as the app has it registered. */
export interface TestOperation extends Pick<Operation, 'path'> {
  readonly id: string;
  /** `GET /sweeps/{id}` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Of its good answer. */
  readonly schema: z.ZodType | undefined;
}

/** Every operation by its id, from the app's own list. */
export const operations: Readonly<Record<string, TestOperation>> = Object.fromEntries(
  v1.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route') return [];
    const { method, operationId: id = '', path, responses } = definition.route;
    const [, good] = Object.entries(responses).find(([status]) => status < '300') ?? [];
    const content = good && 'content' in good ? good.content : undefined;
    const schema = Reflect.get(content?.['application/json'] ?? {}, 'schema') as z.ZodType;
    const upper = method.toUpperCase();
    return [[id, { id, name: `${upper} ${path}`, method: upper, path, schema }]];
  }),
);
