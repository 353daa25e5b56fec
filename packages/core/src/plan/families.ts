import { type Problem, type Shape, shapeText } from '@tilemark/kernels';
import { parseShapes } from './shapes';

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
interface LanguageModel {
  readonly name: string;
  /** Its `config.json`. */
  readonly source: string;
  readonly layers: readonly Layer[];
  /** The output layer: a row of weights for each word of the vocabulary. */
  readonly output: Layer;
}

/**
 * @param attention outputs of the query and of the key or value projection
 * @param intermediate width of the feed-forward layer
 * @param vocabulary outputs of the last layer
 */
function decoder(
  repository: string,
  hidden: number,
  attention: { readonly query: number; readonly key: number },
  intermediate: number,
  vocabulary: number,
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
    output: { k: hidden, n: vocabulary },
  };
}

/** Open language models, from 124 million to 8 billion parameters. */
export const LANGUAGE_MODELS: readonly LanguageModel[] = [
  decoder('openai-community/gpt2', 768, { query: 768, key: 768 }, 3072, 50_257),
  decoder('HuggingFaceTB/SmolLM2-135M', 576, { query: 576, key: 192 }, 1536, 49_152),
  decoder('Qwen/Qwen2.5-0.5B', 896, { query: 896, key: 128 }, 4864, 151_936),
  decoder('google/gemma-3-1b-pt', 1152, { query: 1024, key: 256 }, 6912, 262_144),
  decoder('TinyLlama/TinyLlama-1.1B-Chat-v1.0', 2048, { query: 2048, key: 256 }, 5632, 32_000),
  decoder('meta-llama/Llama-3.2-1B', 2048, { query: 2048, key: 512 }, 8192, 128_256),
  decoder('google/gemma-2-2b', 2304, { query: 2048, key: 1024 }, 9216, 256_000),
  decoder('microsoft/Phi-3-mini-4k-instruct', 3072, { query: 3072, key: 3072 }, 8192, 32_064),
  decoder('Qwen/Qwen2.5-7B', 3584, { query: 3584, key: 512 }, 18_944, 152_064),
  decoder('meta-llama/Llama-3.1-8B', 4096, { query: 4096, key: 1024 }, 14_336, 128_256),
];

/** Tokens in flight: one by one, small batches, and prompts. */
const TOKENS: readonly number[] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 24, 32, 48, 64, 96, 128, 192, 512,
];

const languageShapes = LANGUAGE_MODELS.flatMap(({ layers }) =>
  TOKENS.flatMap((tokens) => layers.map(({ k, n }) => ({ m: tokens, n, k }))),
);

/** What a model computes for some tokens at once, its output layer too. */
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

/**
 * Convolutions as products (pixels x channels of the window x filters) and attention layers:
 * ResNet-50 at 224 x 224 (arXiv:1512.03385, table 1), ViT-B/16 and ViT-L/16 (arXiv:2010.11929,
 * table 1), CLIP ViT-L/14, Whisper small and large (arXiv:2212.04356, table 1).
 */
const visionShapes = parseShapes(
  'matmul',
  `
  12544x64x147 3136x64x64 3136x64x576 3136x256x64 784x128x1152 784x512x128 196x256x2304
  196x1024x256 49x512x4608 49x2048x512 1x1000x2048 197x768x768 197x3072x768 197x768x3072
  197x1024x1024 197x4096x1024 257x1024x1024 257x1024x4096 1500x768x768 1500x3072x768
  1500x1280x1280 1500x5120x1280 1500x1280x5120
`,
);

/**
 * Attention, its heads as a batch: scores (heads x queries x keys x width) and values (heads x
 * queries x width x keys). GPT-2 and Phi-3 mini (`n_head`, `num_attention_heads` of their
 * `config.json`) on prompts and on one token after a full context; ViT-B/16 and ViT-L/16
 * (arXiv:2010.11929, table 1), CLIP ViT-L/14, Whisper small and large (arXiv:2212.04356, table 1).
 */
const attentionShapes = parseShapes(
  'matmul',
  `
  12x128x128x64 12x128x64x128 12x1024x1024x64 12x1024x64x1024 12x1x1024x64 12x1x64x1024
  32x128x128x96 32x128x96x128 32x1024x1024x96 32x1024x96x1024 32x1x4096x96 32x1x96x4096
  12x197x197x64 12x197x64x197 16x197x197x64 16x197x64x197 16x257x257x64 16x257x64x257
  12x1500x1500x64 12x1500x64x1500 20x1500x1500x64 20x1500x64x1500
`,
);

/** Ones, primes, powers of two plus and minus one, strips, and sums that are long or short. */
const oddShapes = parseShapes(
  'matmul',
  `
  1x4096x4096 4096x1x4096 1x1009x2003 4096x2x4096 4099x3x1021 2048x8x8192 127x129x255
  255x257x511 509x503x521 511x513x1023 1021x1019x1013 1023x1025x1027 2047x2049x2045
  4095x4097x4093 200x200x200 300x300x300 384x384x384 500x700x600 768x768x768 800x800x800
  1500x1500x1500 3000x3000x3000 4096x4096x8 4096x4096x33 8192x2048x16 16x16x65536
  64x64x65536 128x128x32768 65536x64x64 64x65536x64 33x4097x4095 4096x17x1024
  4096x4x4096 8192x8x2048 1024x8x8192 2048x6x4096 4096x5x1001 8192x3x3072 2049x1025x513
  1001x3003x2001 257x1023x4095 129x4097x1023 65x2047x2049 33x1001x3001 513x4099x1021
  4097x129x1023 97x515x6001 3001x2999x1499 9x4097x2047 5x3001x1001
`,
);

/**
 * Points of a Halton sequence, even on the logarithm of each side, rounded to steps of 1 to 128: any
 * product, few rows, few columns, and short sums. The other families are shapes of programs, and sizes
 * between theirs are what a selector gets most wrong.
 */
const betweenShapes = parseShapes(
  'matmul',
  `
  280x3064x1312 2144x320x2752 160x1216x5760 1280x4864x320 464x496x728 3597x1945x1521
  128x7612x3180 1000x232x6648 352x896x416 2816x3584x832 224x384x1792 1664x1440x3680
  600x5622x7708 4644x580x468 112x2264x976 896x8864x2048 320x256x4288 2450x1060x8934
  192x4144x544 1469x427x1132 528x1672x2368 4088x6544x4952 160x672x10368 1152x2688x320
  408x10312x646 3168x208x1344 245x824x2826 1896x3224x5908 680x328x360 5248x1280x768
  112x5120x1536 826x522x3276 304x2048x6848 2298x8009x415 176x244x868 1376x960x1824
  12x5952x4480 37x896x8448 6x2768x750 18x8784x1424 11x1282x2677 33x4072x5056 8x12928x9536
  25x704x832 14x2176x1664 43x6800x3040 6x992x5744 17x3148x10840 10x9992x528 30x1456x992
  864x21x1888 4224x45x3520 1920x5x6656 9362x11x598 708x24x1128 3468x7x2128 1568x392x96
  7680x1408x192 1024x160x16 5120x640x32 2336x2144x56 11419x81x113 512x292x216 2512x1056x20
`,
);

/** Squares, images, odd pitches, and strips. */
const transposeShapes = parseShapes(
  'transpose',
  `
  1024x1024 1536x2048 2048x2048 3072x4096 4096x14336 8192x8192 4095x4095 4097x4099
  8191x8193 3001x5003 2048x50257 6000x6002 65536x3 65536x16 16x65536 4x65536 65536x64
  50176x96 192x12544 3x65536 4x50000 5x30001 6x40000 7x50001 8x32768 12x40000 24x20000
  50001x3 32768x4 60000x4 50001x5 40000x6 65536x8 40000x12 20000x24 6x65536 12x65536
  10x40000 16x30000 24x50000 32x40000 65536x12 30000x10 40000x24 65001x5
`,
);

const distinct = (op: Problem['op'], shapes: readonly Shape[]): Shape[] => [
  ...new Map(shapes.map((shape) => [shapeText({ op, shape }), shape])).values(),
];

export const FAMILIES: readonly Family[] = [
  {
    id: 'llm-shapes',
    title: 'Language models',
    about: `Layers of ${LANGUAGE_MODELS.length} open language models × ${TOKENS[0]} to ${TOKENS.at(-1)} tokens`,
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
    id: 'attention-shapes',
    title: 'Attention',
    about: 'Scores and values of GPT-2, Phi-3, ViT, CLIP, and Whisper, heads as a batch',
    op: 'matmul',
    shapes: attentionShapes,
  },
  {
    id: 'decode-shapes',
    title: 'Language models, token by token',
    about: `Layers and output layers of ${LANGUAGE_MODELS.length} open language models × 1 to 8 tokens`,
    op: 'matmul',
    shapes: distinct('matmul', layersAt([1, 2, 3, 4, 5, 6, 7, 8])),
  },
  {
    id: 'prefill-shapes',
    title: 'Language models, prompts',
    about: `Layers and output layers of ${LANGUAGE_MODELS.length} open language models × 32 to 2048 tokens`,
    op: 'matmul',
    shapes: distinct('matmul', layersAt([32, 64, 128, 256, 512, 1024, 2048])),
  },
  {
    id: 'grouped-attention-shapes',
    title: 'Attention with shared heads',
    about: 'Scores and values of Llama 3.1 8B and Qwen 2.5 7B, grouped queries as rows',
    op: 'matmul',
    shapes: groupedShapes,
  },
  {
    id: 'odd-shapes',
    title: 'Odd products',
    about: 'Vectors, primes, powers of two plus and minus one, and long or short sums',
    op: 'matmul',
    shapes: oddShapes,
  },
  {
    id: 'between-shapes',
    title: 'Between the families',
    about: 'Sizes that no program or tile suggests, evenly spread',
    op: 'matmul',
    shapes: betweenShapes,
  },
  {
    id: 'transpose-shapes',
    title: 'Transposes',
    about: 'Squares, odd pitches, and strips',
    op: 'transpose',
    shapes: transposeShapes,
  },
];
