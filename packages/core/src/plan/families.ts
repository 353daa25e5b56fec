import { type Problem, type Shape, shapeText } from '@tilemark/kernels';
import listed from './families.json';
import models from './language-models.json';
import { parseShapes } from './shapes';

/**
 * Shapes that programs really ask for, by family: the suites, the side-by-side bench, `tilemark tune
 * --suite` and `tilemark best --suite` all walk these lists. families.json has those that are listed, with their
 * sources; those of language models follow from their sizes, which language-models.json has.
 */
export interface Family {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly op: Problem['op'];
  readonly shapes: readonly Shape[];
}

/** A layer of a model as a product: K inputs, N outputs. */
interface Layer {
  readonly k: number;
  readonly n: number;
}

/** The layers of a language model. */
interface LanguageModel {
  readonly name: string;
  readonly layers: readonly Layer[];
  /** The output layer: a row of weights for each word of the vocabulary. */
  readonly output: Layer;
}

/**
 * Open language models, from 124 million to 8 billion parameters. Their sizes are those of the
 * repository's `config.json` on huggingface.co: outputs of the query and of the key or value projection,
 * the width of the feed-forward layer, and outputs of the last layer.
 */
export const LANGUAGE_MODELS: readonly LanguageModel[] = models.map(
  ({ repository, hidden, query, key, intermediate, vocabulary }) => ({
    name: repository.split('/')[1] ?? repository,
    layers: [
      { k: hidden, n: query },
      { k: hidden, n: key },
      { k: query, n: hidden },
      { k: hidden, n: intermediate },
      { k: intermediate, n: hidden },
    ],
    output: { k: hidden, n: vocabulary },
  }),
);

/** Tokens in flight: one by one, small batches, and prompts. */
const TOKENS: readonly number[] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 24, 32, 48, 64, 96, 128, 192, 512,
];

const languageShapes = LANGUAGE_MODELS.flatMap(({ layers }) =>
  TOKENS.flatMap((tokens) => layers.map(({ k, n }) => ({ m: tokens, n, k }))),
);

/** The layers that a model computes for some tokens at once, its output layer too. */
const layersAt = (tokens: readonly number[]): Shape[] =>
  LANGUAGE_MODELS.flatMap(({ layers, output }) =>
    tokens.flatMap((m) => [...layers, output].map(({ k, n }) => ({ m, n, k }))),
  );

/**
 * Attention whose heads share keys and values (Llama 3.1 8B: 32 over 8, Qwen 2.5 7B: 28 over 4, 128
 * wide): the queries of those that share are rows of one product. Scores, then values, of one token
 * and of eight after some thousand others.
 */
const groupedShapes = [
  { b: 8, queries: 4 },
  { b: 4, queries: 7 },
].flatMap(({ b, queries }) =>
  [1, 8].flatMap((tokens) =>
    [1024, 4096, 8192].flatMap((context) => [
      { b, m: queries * tokens, n: context, k: 128 },
      { b, m: queries * tokens, n: 128, k: context },
    ]),
  ),
);

const distinct = (shapes: readonly Shape[]): Shape[] => [
  ...new Map(shapes.map((shape) => [shapeText({ op: 'matmul', shape }), shape])).values(),
];

/** Families in the order in which they are shown. */
export const FAMILIES: readonly Family[] = [
  {
    id: 'llm-shapes',
    title: 'Language models',
    about: `Layers of ${LANGUAGE_MODELS.length} open language models × ${TOKENS[0]} to ${TOKENS.at(-1)} tokens`,
    op: 'matmul',
    shapes: distinct(languageShapes),
  },
  listedFamily('vision-shapes'),
  listedFamily('attention-shapes'),
  {
    id: 'decode-shapes',
    title: 'Language models, token by token',
    about: `Layers and output layers of ${LANGUAGE_MODELS.length} open language models × 1 to 8 tokens`,
    op: 'matmul',
    shapes: distinct(layersAt([1, 2, 3, 4, 5, 6, 7, 8])),
  },
  {
    id: 'prefill-shapes',
    title: 'Language models, prompts',
    about: `Layers and output layers of ${LANGUAGE_MODELS.length} open language models × 32 to 2048 tokens`,
    op: 'matmul',
    shapes: distinct(layersAt([32, 64, 128, 256, 512, 1024, 2048])),
  },
  {
    id: 'grouped-attention-shapes',
    title: 'Attention with shared heads',
    about: 'Scores and values of Llama 3.1 8B and Qwen 2.5 7B, grouped queries as rows',
    op: 'matmul',
    shapes: groupedShapes,
  },
  listedFamily('odd-shapes'),
  listedFamily('between-shapes'),
  listedFamily('transpose-shapes'),
];

function listedFamily(id: string): Family {
  const found = listed.find((family) => family.id === id);
  if (!found) throw new TypeError(`families.json has no ${id}`);
  const { about, title, shapes } = found;
  const op = found.op as Problem['op'];
  return { id, title, about, op, shapes: parseShapes(op, shapes.join(' ')) };
}
