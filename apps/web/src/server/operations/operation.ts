import type { AuditAction } from '@tilemark/core';
import type { Limits } from '@tilemark/core/server';
import { z } from 'zod';
import type { Access } from '../access';
import type { ProblemStatus } from '../problem';

/** Where the answers of an operation may be kept. */
export type Caching =
  /** Changes with the grid: kept, and asked for again by its ETag. */
  | 'revalidate'
  /** Changes with the release only. */
  | 'release'
  | 'never';

/**
 * One operation of API v1: what routes check and openapi.json describes are
 * this one declaration.
 */
export interface Operation<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As OpenAPI writes it: `/sweeps/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  readonly caching: Caching;
  readonly query?: Query;
  readonly body?: Body;
  /** The limit that it counts towards, by token. */
  readonly limit?: keyof Limits;
  /** What the audit list calls it; every operation that changes something has one. */
  readonly audit?: AuditAction;
  /** Larger bodies are refused; 1 MB unless said. */
  readonly maxBodyBytes?: number;
  /** When it is refused with these, beyond what access, path and body say. */
  readonly refusals?: Readonly<Partial<Record<ProblemStatus, string>>>;
  readonly answer: {
    readonly status: 200 | 201 | 204;
    readonly schema?: z.ZodType;
    /** Media types of the answer; JSON unless said. */
    readonly types?: readonly string[];
  };
}

/** Declares an operation, with the types of its query and body kept. */
export const operation = <Query extends z.ZodType, Body extends z.ZodType>(
  declared: Operation<Query, Body>,
) => declared;

export const cursorQuery = z.object({ cursor: z.string().min(1).max(500).optional() });
/** Of answers that are tables. */
export const formatQuery = { format: z.enum(['json', 'csv']).default('json') };
export const TABLE_TYPES = ['application/json', 'text/csv'] as const;
export const ok = (schema: z.ZodType) => ({ status: 200, schema }) as const;
