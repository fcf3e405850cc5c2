// Loads an encoder of the fast tier from files in the model2vec format
// (github.com/MinishLab/model2vec): one vector per token, whose mean is the vector of the text.
// Supports newer files with weights and a mapping.

import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { textMax } from '../encoder.ts';
import type { Encoder } from '../encoder.ts';
import { normalise } from '../vector.ts';
import { readTensors } from './safetensors.ts';
import type { Tensor } from './safetensors.ts';
import { readTokenizer } from './word-piece.ts';

const tokensMax = 512;
const dimensionsMax = 4_096;

export type Model2VecFiles = Readonly<{
  tensors: Uint8Array;
  tokenizer: string;
  identity: string;
}>;

/** Errors name the file and the field. */
export function readModel2Vec({ tensors, tokenizer, identity }: Model2VecFiles): Encoder | Refusal {
  const file = 'model.safetensors';
  const read = readTensors(tensors, ['embeddings', 'weights', 'mapping'], file);
  if (isRefusal(read)) return read;
  const cut = readTokenizer(tokenizer, 'tokenizer.json');
  if (isRefusal(cut)) return cut;
  const { embeddings, weights, mapping } = read;
  const [rows = 0, dimensions = 0] = embeddings?.shape ?? [];
  if (embeddings === undefined || dimensions === 0 || dimensions > dimensionsMax) {
    return refuse(
      'invalid',
      `${file}: embeddings must be rows of 1 to ${dimensionsMax} dimensions`,
    );
  }
  const wrong = misfit({ rows, weights, mapping, tokens: cut.size });
  if (wrong !== null) return refuse('invalid', `${file}: ${wrong}`);
  return {
    identity,
    dimensions,
    embed: (text) => {
      const vector = new Float32Array(dimensions);
      for (const token of cut.tokens(text.slice(0, textMax), tokensMax)) {
        const from = (mapping?.values[token] ?? token) * dimensions;
        const weight = weights?.values[token] ?? 1;
        for (let index = 0; index < dimensions; index++) {
          vector[index] = (vector[index] ?? 0) + weight * (embeddings.values[from + index] ?? 0);
        }
      }
      return normalise(vector) ? vector : null;
    },
  };
}

type Fit = Readonly<{
  rows: number;
  tokens: number;
  weights: Tensor | undefined;
  mapping: Tensor | undefined;
}>;

/** Null if everything is consistent. */
function misfit({ rows, tokens, weights, mapping }: Fit): string | null {
  const listed = mapping?.values.length ?? rows;
  if (tokens > listed)
    return `${mapping === undefined ? 'embeddings' : 'mapping'} has ${listed} rows, tokenizer.json ${tokens} tokens`;
  if (weights !== undefined && weights.values.length < tokens) {
    return `weights has ${weights.values.length} values for ${tokens} tokens`;
  }
  const outside = mapping?.values.find((row) => row < 0 || row >= rows || !Number.isInteger(row));
  return outside === undefined ? null : `mapping names row ${outside}, but there are ${rows} rows`;
}
