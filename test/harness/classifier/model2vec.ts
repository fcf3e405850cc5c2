// Writes model2vec files with a vocabulary of six tokens in two dimensions: cake points in one
// direction, law and café in the other.

const vocabulary = ['[CLS]', '[SEP]', 'cake', '##s', 'law', 'cafe'];
const vectors = [0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1];

export function safetensors(header: string, ...data: readonly Buffer[]): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  return Buffer.concat([length, Buffer.from(header), ...data]);
}

type Kind = Readonly<{ type?: string; normalizer?: string }>;

export const tokenizerJson = ({ type = 'WordPiece', normalizer = 'BertNormalizer' }: Kind = {}) =>
  JSON.stringify({
    normalizer: { type: normalizer, lowercase: true, strip_accents: null },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    model: { type, vocab: Object.fromEntries(vocabulary.map((token, index) => [token, index])) },
  });

type Given = Readonly<{
  dtype?: 'F32' | 'F16';
  rows?: number;
  /** Replaces the first value. */
  value?: number;
  weights?: readonly number[];
  mapping?: readonly number[];
}>;

/** The files of a model directory. */
export function modelFiles({ dtype = 'F32', rows = 6, value, weights, mapping }: Given = {}) {
  const values = vectors.slice(0, rows * 2);
  if (value !== undefined) values[0] = value;
  const own = dtype === 'F16' ? halves(values) : Buffer.from(Float32Array.from(values).buffer);
  const parts: Buffer[] = [];
  const header: Record<string, unknown> = {};
  const add = (name: string, type: string, shape: readonly number[], bytes: Buffer): void => {
    const from = parts.reduce((sum, part) => sum + part.length, 0);
    header[name] = { dtype: type, shape, data_offsets: [from, from + bytes.length] };
    parts.push(bytes);
  };
  add('embeddings', dtype, [rows, 2], own);
  if (weights !== undefined) {
    add('weights', 'F64', [weights.length], Buffer.from(Float64Array.from(weights).buffer));
  }
  if (mapping !== undefined) {
    const rowsOf = BigInt64Array.from(mapping, BigInt);
    add('mapping', 'I64', [mapping.length], Buffer.from(rowsOf.buffer));
  }
  return { tensors: safetensors(JSON.stringify(header), ...parts), tokenizer: tokenizerJson() };
}

/** Of 0 and 1. */
const halves = (values: readonly number[]): Buffer =>
  Buffer.from(Uint16Array.from(values, (value) => (value === 1 ? 0x3c00 : 0)).buffer);
