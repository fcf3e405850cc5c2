// Tests logs and traces of the program as users run it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { startCollector } from '../harness/gateway/collector.ts';
import { chatBody } from '../harness/gateway/gateway.ts';
import { startProgram } from '../harness/program/program.ts';
import { answerJson, startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

function configFile(test: TestContext, apiBase: string): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'gw-telemetry-'));
  test.after(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'gw.yaml');
  const model = { model: 'openai/up', api_base: apiBase, api_key: 'canary-upstream' };
  const config = { model_list: [{ model_name: 'm', litellm_params: model }] };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

const chat = (url: string) =>
  fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(chatBody('m')) });

async function start(test: TestContext, apiBase: string, more: readonly string[], env = {}) {
  const config = configFile(test, apiBase);
  const args = ['--config', config, '--port', '0', ...more];
  const program = startProgram(test, { args, env });
  const { url } = await program.logged('gateway started');
  return { program, url: String(url) };
}

/** Each module that the process loads is a line of its log. */
const tellingLoads = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   registerHooks({ load: (url, context, next) => {
     process.stderr.write(JSON.stringify({ loaded: url }) + '\\n');
     return next(url, context);
   } });`,
)}`;

describe('the program', () => {
  it('exports spans when a collector is configured', async (test) => {
    await using collector = await startCollector();
    await using upstream = await startUpstream(answerJson());
    const more = ['--otel-endpoint', collector.endpoint, '--otel-sample-one-in', '1'];
    const { program, url } = await start(test, upstream.apiBase, more);
    assert.equal((await chat(url)).status, 200);
    await program.end('SIGTERM');
    assert.equal(collector.spans.length, 1);
    assert.equal(collector.spans[0]?.resource['service.name'], 'gw');
    assert.doesNotMatch(collector.bodies.join(''), /canary/);
  });

  it('loads no more of OpenTelemetry than its interface without one', async (test) => {
    await using upstream = await startUpstream(answerJson());
    const env = { NODE_OPTIONS: tellingLoads };
    const { program, url } = await start(test, upstream.apiBase, [], env);
    assert.equal((await chat(url)).status, 200);
    const loaded = program.logs.map((line) => JSON.stringify(line['loaded'] ?? ''));
    assert.ok(loaded.some((file) => file.includes('/telemetry/trace.ts')));
    assert.deepEqual(
      loaded.filter((file) => /opentelemetry\/(?!api\/)|otlp-tracer/.test(file)),
      [],
    );
  });

  it('continues to serve when its log is no longer read', async (test) => {
    await using upstream = await startUpstream(answerJson());
    const { program, url } = await start(test, upstream.apiBase, ['--log', 'debug']);
    program.child.stderr?.destroy();
    for (let n = 0; n < 20; n++) assert.equal((await chat(url)).status, 200);
    assert.equal(program.child.exitCode, null);
    await program.end('SIGTERM');
    assert.equal(program.child.exitCode, 0);
  });

  it('shows the components that the filter names', async (test) => {
    await using upstream = await startUpstream(answerJson());
    const filter = 'info,gw::gateway=debug,gw::control_link=off';
    const { program, url } = await start(test, upstream.apiBase, ['--log', filter]);
    await (await chat(url)).text();
    await program.logged('request served');
    const targets = new Set(program.logs.map((line) => line['target']));
    assert.deepEqual(targets, new Set(['gw', 'gw::gateway']));
  });

  it('does not start with a filter that it cannot read, and names the directive', async (test) => {
    const config = configFile(test, 'http://127.0.0.1:1/v1');
    const args = ['--config', config, '--port', '0', '--log', 'info,gw::gatway=debug'];
    const program = startProgram(test, { args });
    await assert.rejects(
      program.logged('gateway started'),
      /--log has the directive "gw::gatway=debug"/,
    );
    await until(() => program.child.exitCode === 2, { what: 'the exit code of wrong usage' });
  });
});
