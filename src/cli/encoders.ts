// Opens the encoders of the prompt classifier. Configured encoders are checked at startup; the
// built-in and the refined encoder load on first use.

import { createHash, hash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { createBuiltInEncoder } from '../classifier/built-in.ts';
import type { Encoder, Encoders } from '../classifier/encoder.ts';
import { readModel2Vec } from '../classifier/model2vec/encoder.ts';
import { readTokenizer } from '../classifier/model2vec/word-piece.ts';
import { readWordTable } from '../classifier/word-table.ts';
import { isRefusal } from '../lib/refusal.ts';
import { createRefinedEncoder } from './refined/encoder.ts';
import type { SettingValues } from './settings/settings-table.ts';

export type ClassifierSettings = Pick<
  SettingValues,
  'classifierModel' | 'classifierRefinedModel' | 'classifierRefinedRuntime'
>;

export type OpenEncoders = Encoders & Readonly<{ close: () => Promise<void> }>;

const wordTable = join(import.meta.dirname, '../classifier/english.words');
const modelBytesMax = 2 ** 30;
const tokenizerBytesMax = 64 * 1024 * 1024;

/** Throws if a configured model cannot be used. The message names the file and the problem. */
export async function openEncoders(settings: ClassifierSettings): Promise<OpenEncoders> {
  const { classifierModel, classifierRefinedModel, classifierRefinedRuntime } = settings;
  const fast = classifierModel === null ? builtIn() : staticModel(classifierModel);
  if (classifierRefinedModel === null) return { fast, refined: null, close: async () => {} };
  const model = refinedModel(classifierRefinedModel);
  const refined = createRefinedEncoder({
    ...model,
    identity: `onnx-${await digestOf(model.modelPath)}`,
    runtime: classifierRefinedRuntime,
    now: () => performance.now(),
  });
  return { fast, refined, close: refined.close };
}

function builtIn(): Encoders['fast'] {
  const identity = 'english-1';
  let encoder: Encoder | null = null;
  return {
    identity,
    open: () =>
      (encoder ??= createBuiltInEncoder(readWordTable(readFileSync(wordTable)), identity)),
  };
}

function staticModel(directory: string): Encoders['fast'] {
  const tensors = readBounded(join(directory, 'model.safetensors'), modelBytesMax);
  const tokenizer = readBounded(join(directory, 'tokenizer.json'), tokenizerBytesMax);
  const identity = `model2vec-${hash('sha256', Buffer.concat([tensors, tokenizer])).slice(0, 12)}`;
  const encoder = readModel2Vec({ tensors, tokenizer: tokenizer.toString(), identity });
  if (isRefusal(encoder)) throw new Error(`--classifier-model ${directory}: ${encoder.message}`);
  return { identity, open: () => encoder };
}

function refinedModel(directory: string) {
  const candidates = ['model.onnx', 'onnx/model.onnx'].map((name) => join(directory, name));
  const modelPath = candidates.find((path) => existsSync(path));
  const flag = `--classifier-refined-model ${directory}`;
  if (modelPath === undefined) throw new Error(`${flag}: has no model.onnx`);
  const tokenizer = readBounded(join(directory, 'tokenizer.json'), tokenizerBytesMax).toString();
  const cut = readTokenizer(tokenizer, 'tokenizer.json');
  if (isRefusal(cut)) throw new Error(`${flag}: ${cut.message}`);
  for (const token of ['[CLS]', '[SEP]']) {
    if (cut.id(token) === undefined) throw new Error(`${flag}: tokenizer.json has no ${token}`);
  }
  return { modelPath, tokenizer, isFirstToken: poolsFirstToken(directory) };
}

/** From the sentence-transformers configuration; default mean. */
function poolsFirstToken(directory: string): boolean {
  const path = join(directory, '1_Pooling/config.json');
  return existsSync(path) && /"pooling_mode_cls_token"\s*:\s*true/.test(readFileSync(path, 'utf8'));
}

function readBounded(path: string, bytesMax: number): Buffer {
  let size: number;
  try {
    ({ size } = statSync(path));
  } catch (cause) {
    throw new Error(`reading ${path}`, { cause });
  }
  if (size > bytesMax) throw new Error(`${path} has ${size} bytes; the maximum is ${bytesMax}`);
  return readFileSync(path);
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  return digest.digest('hex').slice(0, 12);
}
