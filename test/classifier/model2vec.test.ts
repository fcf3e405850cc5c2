// Tests reading encoders in the model2vec format, and rejecting files in other formats.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readModel2Vec } from '../../src/classifier/model2vec/encoder.ts';
import { readTokenizer } from '../../src/classifier/model2vec/word-piece.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { modelFiles, safetensors, tokenizerJson } from '../harness/classifier/model2vec.ts';

const identity = 'test';

function encoderOf(files: ReturnType<typeof modelFiles>) {
  const read = readModel2Vec({ ...files, identity });
  if (isRefusal(read)) assert.fail(read.message);
  return read;
}

const near = (vector: Float32Array | null, expected: readonly number[]): void => {
  assert.ok(vector !== null);
  for (const [index, value] of expected.entries()) {
    assert.ok(Math.abs((vector[index] ?? 0) - value) < 1e-3, `${vector.join(' ')} at ${index}`);
  }
};

describe('a model2vec encoder', () => {
  it('makes the mean of the vectors of the tokens, of length 1', () => {
    const encoder = encoderOf(modelFiles());
    assert.equal(encoder.dimensions, 2);
    near(encoder.embed('cake'), [1, 0]);
    near(encoder.embed('Cakes, law!'), [Math.SQRT1_2, Math.SQRT1_2]);
    near(encoder.embed('CAKE café'), [Math.SQRT1_2, Math.SQRT1_2]);
  });

  it('knows nothing of a text without a token of its own', () => {
    const encoder = encoderOf(modelFiles());
    assert.equal(encoder.embed('zebra'), null);
    assert.equal(encoder.embed(''), null);
  });

  it('reads halves, weights of tokens, and rows that tokens share', () => {
    const halves = modelFiles({ dtype: 'F16' });
    near(encoderOf(halves).embed('cakes law'), [Math.SQRT1_2, Math.SQRT1_2]);
    const weighted = modelFiles({ weights: [0, 0, 3, 0, 4, 0] });
    near(encoderOf(weighted).embed('cake law'), [0.6, 0.8]);
    const mapped = modelFiles({ mapping: [0, 1, 4, 3, 4, 5] });
    near(encoderOf(mapped).embed('cake'), [0, 1]);
  });

  const wrong: readonly (readonly [
    what: string,
    files: ReturnType<typeof modelFiles>,
    message: RegExp,
  ])[] = [
    [
      'no tensors',
      { ...modelFiles(), tensors: Buffer.from('not it') },
      /^model.safetensors: invalid header length/,
    ],
    [
      'a header longer than the file',
      { ...modelFiles(), tensors: Buffer.alloc(64, 0xff) },
      /header/,
    ],
    ['a header that is not JSON', { ...modelFiles(), tensors: safetensors('{{') }, /not a JSON/],
    ['no embeddings', { ...modelFiles(), tensors: safetensors('{}') }, /embeddings must/],
    [
      'a type that is not read',
      {
        ...modelFiles(),
        tensors: safetensors('{"embeddings":{"dtype":"BF16","shape":[1,1],"data_offsets":[0,2]}}'),
      },
      /embeddings: dtype: must be one of/,
    ],
    [
      'offsets outside of the file',
      {
        ...modelFiles(),
        tensors: safetensors('{"embeddings":{"dtype":"F32","shape":[6,2],"data_offsets":[0,48]}}'),
      },
      /embeddings\.data_offsets/,
    ],
    ['a value that is not a number', modelFiles({ value: Number.NaN }), /embeddings: value 0/],
    ['too few rows', modelFiles({ rows: 3 }), /embeddings has 3 rows, tokenizer.json 6 tokens/],
    [
      'a mapping to no row',
      modelFiles({ mapping: [0, 1, 99, 3, 4, 5] }),
      /mapping names row 99, but there are 6 rows/,
    ],
    ['too few weights', modelFiles({ weights: [1] }), /weights has 1 values for 6 tokens/],
    [
      'a tokenizer that is not JSON',
      { ...modelFiles(), tokenizer: '{' },
      /^tokenizer.json: not JSON/,
    ],
    [
      'another kind of tokenizer',
      { ...modelFiles(), tokenizer: tokenizerJson({ type: 'BPE' }) },
      /^tokenizer.json: model.type: only WordPiece/,
    ],
    [
      'another normalizer',
      { ...modelFiles(), tokenizer: tokenizerJson({ normalizer: 'NFKC' }) },
      /normalizer.type: only BertNormalizer/,
    ],
  ];
  for (const [what, files, message] of wrong) {
    it(`is refused with ${what}`, () => {
      const read = readModel2Vec({ ...files, identity });
      assert.ok(isRefusal(read));
      assert.match(read.message, message);
    });
  }
});

describe('a word-piece tokenizer', () => {
  it('takes the longest token first, and leaves out a word with a part that is none', () => {
    const tokenizer = readTokenizer(tokenizerJson(), 'tokenizer.json');
    assert.ok(!isRefusal(tokenizer));
    assert.deepEqual(tokenizer.tokens('Cakes cakez LAW law', 10), [2, 3, 4, 4]);
    assert.deepEqual(
      tokenizer.tokens('law '.repeat(50), 7),
      Array.from({ length: 7 }, () => 4),
    );
    assert.equal(tokenizer.id('[CLS]'), 0);
  });
});
