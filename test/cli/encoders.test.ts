// Tests the encoders of a process: the configured models, checked at startup, and the refined one
// in its thread.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { openEncoders } from '../../src/cli/encoders.ts';
import { builtInClassifier } from '../harness/gateway/gateway.ts';
import { modelFiles, tokenizerJson } from '../harness/classifier/model2vec.ts';

const runtime = path.join(import.meta.dirname, '../harness/classifier/onnx-runtime.ts');

async function directoryOf(t: TestContext, files: Readonly<Record<string, string | Buffer>>) {
  const directory = await mkdtemp(path.join(tmpdir(), 'gw-model-'));
  t.after(() => rm(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(directory, name)), { recursive: true });
    await writeFile(path.join(directory, name), content);
  }
  return directory;
}

async function refined(t: TestContext, files: Readonly<Record<string, string>>, module = runtime) {
  const directory = await directoryOf(t, { 'tokenizer.json': tokenizerJson(), ...files });
  const encoders = await openEncoders({
    classifierModel: null,
    classifierRefinedModel: directory,
    classifierRefinedRuntime: module,
  });
  t.after(encoders.close);
  assert.ok(encoders.refined !== null);
  return encoders.refined;
}

const patient = { timeoutMs: null };

describe('--classifier-model', () => {
  it('replaces the built-in encoder, under a name derived from its files', async (t) => {
    const { tensors, tokenizer } = modelFiles();
    const classifierModel = await directoryOf(t, {
      'model.safetensors': tensors,
      'tokenizer.json': tokenizer,
    });
    const { fast } = await openEncoders({ ...builtInClassifier, classifierModel });
    assert.match(fast.identity, /^model2vec-[0-9a-f]{12}$/);
    assert.deepEqual([...(fast.open().embed('cake') ?? [])], [1, 0]);
    const { fast: builtIn } = await openEncoders(builtInClassifier);
    assert.equal(builtIn.identity, 'english-1');
  });

  it('names the file and field of an unusable model and does not start', async (t) => {
    const empty = await directoryOf(t, {});
    await assert.rejects(
      openEncoders({ ...builtInClassifier, classifierModel: empty }),
      /model\.safetensors/,
    );
    const { tensors } = modelFiles();
    const classifierModel = await directoryOf(t, {
      'model.safetensors': tensors,
      'tokenizer.json': tokenizerJson({ type: 'Unigram' }),
    });
    await assert.rejects(
      openEncoders({ ...builtInClassifier, classifierModel }),
      /--classifier-model .*tokenizer\.json: model\.type: only WordPiece is read/,
    );
  });
});

describe('--classifier-refined-model', () => {
  it('encodes in a thread, by the mean of the tokens or by the first', async (t) => {
    const mean = await refined(t, { 'model.onnx': 'm' });
    assert.match(mean.identity, /^onnx-[0-9a-f]{12}$/);
    const [cake, law] = await mean.embed(['cake', 'law law'], patient);
    // [CLS] cake [SEP]: three directions of equal length.
    const third = Math.sqrt(1 / 3);
    assert.ok(cake && [0, 1, 2].every((at) => Math.abs((cake[at] ?? 0) - third) < 1e-6));
    assert.ok(law && (law[4] ?? 0) > (law[0] ?? 0) && law[2] === 0);
    const first = await refined(t, {
      'onnx/model.onnx': 'm',
      '1_Pooling/config.json': '{"pooling_mode_cls_token": true}',
    });
    const [vector] = await first.embed(['cake'], patient);
    assert.deepEqual([...(vector ?? [])], [1, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('does not start without a model or its tokens', async (t) => {
    await assert.rejects(refined(t, {}), /--classifier-refined-model .*: has no model\.onnx/);
    await assert.rejects(
      refined(t, { 'model.onnx': 'm', 'tokenizer.json': tokenizerJson({ type: 'BPE' }) }),
      /model\.type: only WordPiece/,
    );
  });

  it('fails each text if it cannot be loaded, and says why', async (t) => {
    const broken = await refined(t, { 'model.onnx': 'broken' });
    for (let times = 0; times < 2; times++) {
      await assert.rejects(broken.embed(['cake'], patient), /the model is broken/);
    }
    const missing = await refined(t, { 'model.onnx': 'm' }, 'gw-no-such-runtime');
    await assert.rejects(missing.embed(['cake'], patient), /gw-no-such-runtime/);
    const other = await refined(t, { 'model.onnx': 'm' }, 'node:path');
    await assert.rejects(other.embed(['cake'], patient), /does not export InferenceSession/);
  });

  it('respects the time limit of a slow text and of texts queued after it', async (t) => {
    const hangs = await refined(t, { 'model.onnx': 'hangs' });
    const waits = Array.from({ length: 3 }, () => hangs.embed(['cake'], { timeoutMs: 20 }));
    for (const wait of waits) await assert.rejects(wait, /longer than 20 ms/);
    const many = Array.from({ length: 80 }, () =>
      hangs.embed(['cake'], { timeoutMs: 50 }).catch((error: unknown) => String(error)),
    );
    const failed = await Promise.all(many);
    assert.equal(failed.filter((text) => String(text).includes('64 prompts wait')).length, 16);
  });
});
