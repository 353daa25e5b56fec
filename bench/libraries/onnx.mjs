// Models of one operator, `MatMulNBits`, in the format of ONNX (onnx.proto): protocol buffers, written
// by hand, since these are a dozen messages of five fields.

/** A base-128 number, the least significant bits first. */
function varint(value) {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

const number = (field, value) => Buffer.concat([varint(8 * field), varint(value)]);
const bytes = (field, content) => {
  const body = Buffer.from(content);
  return Buffer.concat([varint(8 * field + 2), varint(body.length), body]);
};
const message = (field, ...fields) => bytes(field, Buffer.concat(fields));

const [UINT8, FLOAT16] = [2, 10];
const INT_ATTRIBUTE = 2;
const BLOCK = 32;

const initializer = (name, type, dims, content) =>
  message(
    5,
    ...dims.map((dim) => number(1, dim)),
    number(2, type),
    bytes(8, name),
    bytes(9, content),
  );

const value = (field, name, dims) =>
  message(
    field,
    bytes(1, name),
    message(
      2,
      message(1, number(1, FLOAT16), message(2, ...dims.map((dim) => message(1, number(1, dim))))),
    ),
  );

const attribute = ([name, integer]) =>
  message(5, bytes(1, name), number(3, integer), number(20, INT_ATTRIBUTE));

/**
 * `count` products of A (m x k, halves) with weights of their own, n rows of k, four bits in blocks of
 * 32 with a scale each. The first is returned; the others are computed all the same.
 *
 * @param weights `values`: pairs of nibbles, `scales`: halves
 */
export function onnxModel({ m, n, k, count, weights: { values, scales } }) {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const attributes = Object.entries({ K: k, N: n, bits: 4, block_size: BLOCK }).map(attribute);
  const graph = message(
    7,
    ...numbers.map((i) =>
      message(
        1,
        ...['A', `B${i}`, `scales${i}`].map((name) => bytes(1, name)),
        bytes(2, `C${i}`),
        bytes(3, `product${i}`),
        bytes(4, 'MatMulNBits'),
        ...attributes,
        bytes(7, 'com.microsoft'),
      ),
    ),
    bytes(2, 'products'),
    ...numbers.flatMap((i) => [
      initializer(`B${i}`, UINT8, [n, k / BLOCK, BLOCK / 2], values),
      initializer(`scales${i}`, FLOAT16, [(n * k) / BLOCK], scales),
    ]),
    value(11, 'A', [m, k]),
    value(12, 'C0', [m, n]),
  );
  const opset = (domain, version) => message(8, bytes(1, domain), number(2, version));
  return Buffer.concat([number(1, 10), graph, opset('', 21), opset('com.microsoft', 1)]);
}

/** ggml keeps the halves of a block in the low and high nibbles of its bytes; ONNX keeps neighbours. */
export function nibblesAsPairs(values) {
  const pairs = new Uint8Array(values.length);
  const half = BLOCK / 2;
  for (let first = 0; first < values.length; first += half) {
    const nibble = (i) => (i < half ? values[first + i] & 15 : values[first + i - half] >> 4);
    for (let j = 0; j < half; j++) pairs[first + j] = nibble(2 * j) | (nibble(2 * j + 1) << 4);
  }
  return pairs;
}
