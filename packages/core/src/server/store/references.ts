import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError, parseShape, shapeText } from '@tilemark/kernels';
import { figuresOf, newestOfEach, type ReferenceFile } from '../../reference/figures';
import { isAsked, ofHardware, shippedReference } from '../../reference/reference';
import type { ReferenceFigure, ReferenceQuery } from '../../view/api';
import { type AuditNote, noted } from './audit';
import { isUsual } from './columns';
import { canonicalJson, fromJson, sha256, toJson } from './database';

/** More imported figures of one problem than any page shows. */
const MOST = 1_000;

/** A bundler may shorten the digits of what ships by this much, relative. */
const SHORTENED = 1e-8;

/** The imported result that is the same measurement as a reference figure. */
interface FigureResult {
  readonly resultId: string;
  /** Why this grid does not rank it; null if it does. */
  readonly unranked: string | null;
}

/** Figures that this grid did not measure, shipped or imported; of several of one thing the newest. */
export function referencesOf(db: PrismaClient) {
  /** What ships, then what was imported. */
  const all = async (
    isWanted: (figure: ReferenceFigure) => boolean,
    where: Prisma.ReferenceWhereInput,
  ): Promise<ReferenceFigure[]> => {
    const rows = await db.reference.findMany({
      where,
      orderBy: [{ importedAt: 'asc' }, { place: 'asc' }],
      take: MOST,
    });
    const imported = rows.map(({ content, importedAt, importedBy }) => ({
      ...fromJson<Omit<ReferenceFigure, 'imported'>>(content),
      imported: { by: importedBy, at: importedAt.toISOString() },
    }));
    return newestOfEach([...shippedReference().filter(isWanted), ...imported]);
  };

  return {
    /** @throws InputError at `shape` for text that is not a shape of the op */
    async list(query: ReferenceQuery): Promise<ReferenceFigure[]> {
      const { dtype, op } = query;
      const shape =
        query.shape === undefined
          ? undefined
          : shapeText({ op, shape: parseShape(op, query.shape) });
      const asked = { op, dtype, ...(shape !== undefined && { shape }) };
      return all((figure) => isAsked(figure, asked), asked);
    },

    /** The fastest kernels that others measured on hardware of this name, largest problems first. */
    async ofHardware(name: string): Promise<ReferenceFigure[]> {
      const isWanted = ({ hardware }: ReferenceFigure) => hardware === name;
      return ofHardware(
        await all(isWanted, { content: { path: ['hardware'], equals: name } }),
        name,
      );
    },

    /** The imported results that are the same measurements as figures. */
    async resultsOf(
      figures: readonly ReferenceFigure[],
    ): Promise<ReadonlyMap<ReferenceFigure | undefined, FigureResult>> {
      const kernels = figures.filter(({ by }) => by.kind === 'kernel');
      const addresses = kernels.map(({ by }) => (by.kind === 'kernel' ? by.address : ''));
      const shapes = kernels.map(({ problem }) => shapeText(problem));
      const medians = kernels.map(({ medianNs }) => medianNs);
      const rows = await db.$queryRaw<(FigureResult & { readonly place: number })[]>`
        SELECT DISTINCT ON (figure."place") figure."place"::int, result."id" AS "resultId",
          result."unranked"
        FROM unnest(${addresses}::text[], ${shapes}::text[],
          ${medians}::float8[]) WITH ORDINALITY AS figure("address", "shape", "ns", "place")
        JOIN "Result" AS result ON result."importedBy" IS NOT NULL
          AND result."medianNs" BETWEEN figure."ns" * (1 - ${SHORTENED}::float8)
            AND figure."ns" * (1 + ${SHORTENED}::float8)
        JOIN "Run" AS run ON run."id" = result."runId"
          AND run."address" = figure."address" AND run."shape" = figure."shape"
          AND ${isUsual('run')}`;
      return new Map(rows.map(({ place, ...result }) => [kernels[place - 1], result]));
    },

    /**
     * Keeps the figures of a file; the same file is kept once.
     *
     * @throws InputError if it has none, or names a problem that does not exist
     */
    async import(file: ReferenceFile, by: string, note?: AuditNote) {
      const figures = figuresOf(file);
      if (figures.length === 0) throw new InputError('The file contains no figure.', 'results');
      const fileHash = sha256(canonicalJson(file));
      await db.$transaction(async (tx) => {
        const { count } = await tx.reference.createMany({
          data: figures.map((figure, place) => ({
            fileHash,
            place,
            importedBy: by,
            content: toJson(figure),
            op: figure.problem.op,
            dtype: figure.problem.dtype,
            shape: shapeText(figure.problem),
          })),
          skipDuplicates: true,
        });
        if (count > 0) await noted(tx, note, fileHash);
      });
      return { id: fileHash, figures: figures.length };
    },
  };
}
