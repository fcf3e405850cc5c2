// Runs the thread of the refined encoder: loads the runtime and the model, and encodes texts one by
// one.

import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

import { textMax } from '../../classifier/encoder.ts';
import { readTokenizer } from '../../classifier/model2vec/word-piece.ts';
import type { Tokenizer } from '../../classifier/model2vec/word-piece.ts';
import { normalise } from '../../classifier/vector.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { workerModel, workerTexts } from './messages.ts';
import type { WorkerAnswer } from './messages.ts';
import { onnxRuntimeOf } from './onnx.ts';
import type { OnnxRuntime, OnnxSession, OnnxTensor } from './onnx.ts';

const tokensMax = 256;

type Loaded = Readonly<{ runtime: OnnxRuntime; session: OnnxSession; tokenizer: Tokenizer }>;

const model = workerModel.parse(workerData);

async function load(): Promise<Loaded> {
  const { runtime: name, modelPath, tokenizer: json } = model;
  const isPath = isAbsolute(name) || name.startsWith('.');
  const imported: unknown = await import(isPath ? pathToFileURL(resolve(name)).href : name);
  const runtime = onnxRuntimeOf(imported);
  if (runtime === null) throw new Error(`${name} does not export InferenceSession and Tensor`);
  const tokenizer = readTokenizer(json, 'tokenizer.json');
  if (isRefusal(tokenizer)) throw new Error(tokenizer.message);
  // One core only, because the others serve requests.
  const session = await runtime.InferenceSession.create(modelPath, { intraOpNumThreads: 1 });
  return { runtime, session, tokenizer };
}

async function embed(
  { runtime, session, tokenizer }: Loaded,
  text: string,
): Promise<Float32Array<ArrayBuffer> | null> {
  const { id } = tokenizer;
  const own = tokenizer.tokens(text.slice(0, textMax), tokensMax - 2);
  const tokens = [id('[CLS]') ?? 0, ...own, id('[SEP]') ?? 0];
  const row = (values: readonly number[]): object =>
    new runtime.Tensor('int64', BigInt64Array.from(values, BigInt), [1, tokens.length]);
  const inputs: Readonly<Record<string, () => object>> = {
    input_ids: () => row(tokens),
    attention_mask: () => row(tokens.map(() => 1)),
    token_type_ids: () => row(tokens.map(() => 0)),
  };
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => [name, inputs[name]?.() ?? row(tokens.map(() => 0))]),
  );
  const outputs = await session.run(feeds);
  const whole = outputs['sentence_embedding'];
  const vector = whole === undefined ? pooled(outputs['last_hidden_state']) : from(whole.data);
  return normalise(vector) ? vector : null;
}

const from = (data: ArrayLike<number>): Float32Array<ArrayBuffer> => Float32Array.from(data);

/** The mean of all token vectors, or the first one. */
function pooled(hidden: OnnxTensor | undefined): Float32Array<ArrayBuffer> {
  if (hidden === undefined) throw new Error('the model has no output last_hidden_state');
  const [, tokens = 0, dimensions = 0] = hidden.dims;
  const vector = new Float32Array(dimensions);
  for (let token = 0; token < (model.isFirstToken ? 1 : tokens); token++) {
    for (let index = 0; index < dimensions; index++) {
      vector[index] = (vector[index] ?? 0) + (hidden.data[token * dimensions + index] ?? 0);
    }
  }
  return vector;
}

async function answer(loaded: Loaded, message: unknown): Promise<WorkerAnswer> {
  try {
    const vectors: (Float32Array<ArrayBuffer> | null)[] = [];
    for (const text of workerTexts.parse(message)) vectors.push(await embed(loaded, text));
    return { vectors, error: null };
  } catch (error) {
    return { vectors: [], error: error instanceof Error ? error.message : String(error) };
  }
}

// A failure ends the thread with an error, which the parent receives.
const loaded = await load();
parentPort?.on('message', (message: unknown) => {
  void answer(loaded, message).then((reply) => parentPort?.postMessage(reply, []));
});
