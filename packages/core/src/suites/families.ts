import type { MatmulShape, Problem, Shape, TransposeShape } from '@tilemark/kernels';
import { shapeText } from '@tilemark/kernels';

/**
 * Shapes that programs really ask for, by family: the suites, the side-by-side bench, `tilemark tune
 * --suite` and `tilemark table` all walk these lists.
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

/** The layers of a language model and where its sizes are published. */
export interface LanguageModel {
  readonly name: string;
  /** Its `config.json`. */
  readonly source: string;
  readonly layers: readonly Layer[];
}

/**
 * @param attention outputs of the query and of the key or value projection
 * @param intermediate width of the feed-forward layer
 */
function decoder(
  repository: string,
  hidden: number,
  attention: { readonly query: number; readonly key: number },
  intermediate: number,
): LanguageModel {
  return {
    name: repository.split('/')[1] ?? repository,
    source: `https://huggingface.co/${repository}/blob/main/config.json`,
    layers: [
      { k: hidden, n: attention.query },
      { k: hidden, n: attention.key },
      { k: attention.query, n: hidden },
      { k: hidden, n: intermediate },
      { k: intermediate, n: hidden },
    ],
  };
}

/** Open language models, from 124 million to 8 billion parameters. */
export const LANGUAGE_MODELS: readonly LanguageModel[] = [
  decoder('openai-community/gpt2', 768, { query: 768, key: 768 }, 3072),
  decoder('HuggingFaceTB/SmolLM2-135M', 576, { query: 576, key: 192 }, 1536),
  decoder('Qwen/Qwen2.5-0.5B', 896, { query: 896, key: 128 }, 4864),
  decoder('google/gemma-3-1b-pt', 1152, { query: 1024, key: 256 }, 6912),
  decoder('TinyLlama/TinyLlama-1.1B-Chat-v1.0', 2048, { query: 2048, key: 256 }, 5632),
  decoder('meta-llama/Llama-3.2-1B', 2048, { query: 2048, key: 512 }, 8192),
  decoder('google/gemma-2-2b', 2304, { query: 2048, key: 1024 }, 9216),
  decoder('microsoft/Phi-3-mini-4k-instruct', 3072, { query: 3072, key: 3072 }, 8192),
  decoder('Qwen/Qwen2.5-7B', 3584, { query: 3584, key: 512 }, 18_944),
  decoder('meta-llama/Llama-3.1-8B', 4096, { query: 4096, key: 1024 }, 14_336),
];

/** Tokens in flight: one by one, small batches, and prompts. */
export const TOKENS: readonly number[] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 24, 32, 48, 64, 96, 128, 192, 512,
];

const product = (m: number, n: number, k: number): MatmulShape => ({ m, n, k });

const languageShapes = LANGUAGE_MODELS.flatMap(({ layers }) =>
  TOKENS.flatMap((tokens) => layers.map(({ k, n }) => product(tokens, n, k))),
);

/**
 * Convolutions as products (pixels x channels of the window x filters) and attention layers:
 * ResNet-50 at 224 x 224 (arXiv:1512.03385, table 1), ViT-B/16 and ViT-L/16 (arXiv:2010.11929,
 * table 1), CLIP ViT-L/14, Whisper small and large (arXiv:2212.04356, table 1).
 */
const visionShapes: readonly MatmulShape[] = [
  product(12_544, 64, 147),
  product(3136, 64, 64),
  product(3136, 64, 576),
  product(3136, 256, 64),
  product(784, 128, 1152),
  product(784, 512, 128),
  product(196, 256, 2304),
  product(196, 1024, 256),
  product(49, 512, 4608),
  product(49, 2048, 512),
  product(1, 1000, 2048),
  product(197, 768, 768),
  product(197, 3072, 768),
  product(197, 768, 3072),
  product(197, 1024, 1024),
  product(197, 4096, 1024),
  product(257, 1024, 1024),
  product(257, 1024, 4096),
  product(1500, 768, 768),
  product(1500, 3072, 768),
  product(1500, 1280, 1280),
  product(1500, 5120, 1280),
  product(1500, 1280, 5120),
];

/** Ones, primes, powers of two plus and minus one, strips, and sums that are long or short. */
const oddShapes: readonly MatmulShape[] = [
  product(1, 4096, 4096),
  product(4096, 1, 4096),
  product(1, 1009, 2003),
  product(4096, 2, 4096),
  product(4099, 3, 1021),
  product(2048, 8, 8192),
  product(127, 129, 255),
  product(255, 257, 511),
  product(509, 503, 521),
  product(511, 513, 1023),
  product(1021, 1019, 1013),
  product(1023, 1025, 1027),
  product(2047, 2049, 2045),
  product(4095, 4097, 4093),
  product(200, 200, 200),
  product(300, 300, 300),
  product(384, 384, 384),
  product(500, 700, 600),
  product(768, 768, 768),
  product(800, 800, 800),
  product(1500, 1500, 1500),
  product(3000, 3000, 3000),
  product(4096, 4096, 8),
  product(4096, 4096, 33),
  product(8192, 2048, 16),
  product(16, 16, 65_536),
  product(64, 64, 65_536),
  product(128, 128, 32_768),
  product(65_536, 64, 64),
  product(64, 65_536, 64),
  product(33, 4097, 4095),
  product(4096, 17, 1024),
];

const matrix = (rows: number, cols: number): TransposeShape => ({ rows, cols });

/** Squares, images, odd pitches, and strips. */
const transposeShapes: readonly TransposeShape[] = [
  matrix(1024, 1024),
  matrix(1536, 2048),
  matrix(2048, 2048),
  matrix(3072, 4096),
  matrix(4096, 14_336),
  matrix(8192, 8192),
  matrix(4095, 4095),
  matrix(4097, 4099),
  matrix(8191, 8193),
  matrix(3001, 5003),
  matrix(2048, 50_257),
  matrix(6000, 6002),
  matrix(65_536, 3),
  matrix(65_536, 16),
  matrix(16, 65_536),
  matrix(4, 65_536),
  matrix(65_536, 64),
  matrix(50_176, 96),
  matrix(192, 12_544),
];

const distinct = (op: Problem['op'], shapes: readonly Shape[]): Shape[] => [
  ...new Map(shapes.map((shape) => [shapeText({ op, shape }), shape])).values(),
];

export const FAMILIES: readonly Family[] = [
  {
    id: 'llm-shapes',
    title: 'Language models',
    about: `Layers of ${LANGUAGE_MODELS.length} open language models x ${TOKENS[0]} to ${TOKENS.at(-1)} tokens`,
    op: 'matmul',
    shapes: distinct('matmul', languageShapes),
  },
  {
    id: 'vision-shapes',
    title: 'Vision and speech models',
    about: 'Layers of ResNet-50, ViT, CLIP, and Whisper',
    op: 'matmul',
    shapes: visionShapes,
  },
  {
    id: 'odd-shapes',
    title: 'Odd products',
    about: 'Vectors, primes, powers of two plus and minus one, and long or short sums',
    op: 'matmul',
    shapes: oddShapes,
  },
  {
    id: 'transpose-shapes',
    title: 'Transposes',
    about: 'Squares, odd pitches, and strips',
    op: 'transpose',
    shapes: transposeShapes,
  },
];
