// Tests the metrics pages of engines: names of each engine, sums over labels, and pages without scheduler metrics.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import {
  pageOfModels,
  readEnginePage,
  requestsOf,
} from '../../../src/gateway/engine-metrics/families.ts';

const fixture = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, `../../fixtures/metrics/${name}.prom`), 'utf8');

const totalOf = (text: string) => {
  const total = readEnginePage(text)?.total;
  return total === undefined ? null : [total.running, total.waiting];
};

describe('the page of an engine', () => {
  for (const [engine, running, waiting] of [
    ['vllm', 2, 3],
    ['sglang', 162, 2826],
    ['llamacpp', 0, 0],
    ['triton-tensorrt-llm', 1, 1],
    ['tgi', 7, 3],
    ['lmdeploy', 9, 3],
  ] as const) {
    it(`of ${engine} says how many requests run and wait`, () =>
      assert.deepEqual(totalOf(fixture(engine)), [running, waiting]));
  }

  for (const [what, text, expected] of [
    [
      'an older vLLM adds what it swapped out',
      'vllm:num_requests_running 1\nvllm:num_requests_waiting 2\nvllm:num_requests_swapped 3\n',
      [1, 5],
    ],
    [
      'vLLM under Ray has its own prefix',
      'ray_vllm_num_requests_running{a="b"} 4\nray_vllm_num_requests_waiting 5\n',
      [4, 5],
    ],
    ['trtllm-serve', 'trtllm_num_requests_running 6\ntrtllm_num_requests_waiting 7\n', [6, 7]],
    [
      'a breakdown by reasons is not added',
      'vllm:num_requests_waiting 3\nvllm:num_requests_waiting_by_reason{reason="capacity"} 3\n',
      [0, 3],
    ],
    [
      'lines of a family are summed',
      'vllm:num_requests_running{engine="0"} 2\nvllm:num_requests_running{engine="1"} 2.0\n',
      [4, 0],
    ],
    [
      'exponents, timestamps, spaces',
      'vllm:num_requests_running{} 8.1e+01 1700000000000\nvllm:num_requests_waiting   2\n',
      [81, 2],
    ],
    [
      'a value that is not a number is skipped',
      'vllm:num_requests_running NaN\nvllm:num_requests_waiting 1\n',
      [0, 1],
    ],
    [
      'labels with braces, commas and quotes',
      String.raw`vllm:num_requests_running{model_name="a \"b\", {c}",x="\\"} 5`,
      [5, 0],
    ],
    [
      'a line that is cut short is skipped',
      'vllm:num_requests_waiting 2\nvllm:num_requests_running{model_name="a',
      [0, 2],
    ],
    ['what is below zero is none', 'vllm:num_requests_running -1\n', [0, 0]],
    [
      'line ends of another system',
      'vllm:num_requests_running 1\r\nvllm:num_requests_waiting 2\r\n',
      [1, 2],
    ],
  ] as const) {
    it(what, () => assert.deepEqual(totalOf(text), expected));
  }

  for (const [what, text] of [
    ['an empty page', ''],
    ['the page of a program', '# HELP up x\nup 1\nprocess_cpu_seconds_total 3\n'],
    ['HTML', '<!doctype html><title>vllm:num_requests_running 1</title>'],
    ['counters of an engine without its scheduler', 'vllm:generation_tokens_total 5\n'],
    ['a breakdown alone', 'vllm:num_requests_waiting_by_reason{reason="capacity"} 3\n'],
    ['a comment', '# vllm:num_requests_running 1\n'],
    ['other states of requests of Triton', 'nv_trt_llm_request_metrics{request_type="max"} 512\n'],
  ] as const) {
    it(`is not ${what}`, () => assert.equal(readEnginePage(text), null));
  }

  it('is read per model if it names models, otherwise as a whole', () => {
    const page = readEnginePage(
      ['a', 'b']
        .map((name, index) => `vllm:num_requests_running{model_name="${name}"} ${index + 1}`)
        .join('\n'),
    );
    assert.ok(page !== null);
    assert.equal(requestsOf(page, 'a')?.running, 1);
    assert.equal(requestsOf(page, 'b')?.running, 2);
    assert.equal(requestsOf(page, 'an adapter')?.running, 3);
  });

  it('is read per model if each model has its own page, and a model without one is idle', () => {
    const llamacpp = readEnginePage(
      'llamacpp:requests_processing 2\nllamacpp:requests_deferred 1\n',
    );
    const pages = new Map([
      ['loaded', llamacpp],
      ['unloaded', null],
    ]);
    const page = pageOfModels(pages);
    assert.ok(page !== null);
    assert.deepEqual(requestsOf(page, 'loaded'), { running: 2, waiting: 1 });
    assert.deepEqual(requestsOf(page, 'unloaded'), { running: 0, waiting: 0 });
    assert.equal(requestsOf(page, 'not asked for'), null);
    assert.deepEqual(page.total, { running: 2, waiting: 1 });
    assert.equal(pageOfModels(new Map([['unloaded', null]])), null);
  });

  it('shows progress only for engines with a counter that moves with every step', () => {
    const before = readEnginePage(fixture('vllm'))?.progress;
    const after = readEnginePage(fixture('vllm').replace('120000.0', '120001.0'))?.progress;
    assert.ok(typeof before === 'string' && typeof after === 'string' && before !== after);
    for (const name of ['sglang', 'llamacpp', 'tgi', 'lmdeploy', 'triton-tensorrt-llm']) {
      assert.equal(readEnginePage(fixture(name))?.progress, null, name);
    }
  });
});
