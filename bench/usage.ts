// Measures how many usage rows a control plane takes in. `node bench/usage.ts [--rows 200000] [--connections 4]
// [--principals 1000] [--profile DIR]` starts an embedded Postgres and role control, and sends batches of 1,000 rows through
// HTTP. Server, database and sender share the machine.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { globalSetup, globalTeardown } from '../test/harness/global-setup.ts';
import { testDatabase } from '../test/harness/postgres/postgres.ts';
import { cpuSeconds, cpuSecondsOfFamily } from './control/cpu.ts';
import { fillLog } from './control/fill.ts';
import { postmasterOf, prepareDatabase, proxyToken, startServer } from './control/server.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    connections: { type: 'string', default: '4' },
    principals: { type: 'string', default: '1000' },
    profile: { type: 'string' },
  },
});
const rows = Number(values.rows);
const principals = Number(values.principals);
const models = 20;
const batchRows = 1_000;
const warmUpRows = 20_000;

/** Bodies are made before the measurement, so that the sender uses little CPU. */
function batch(number: number): string {
  const at = new Date(Date.now() - 1_000).toISOString();
  const events = Array.from({ length: batchRows }, (_value, index) => {
    const row = number * batchRows + index;
    const chosen = (row * 7_919) % principals;
    return {
      id: `01ARZ3NDEK${String(row).padStart(16, '0')}`,
      at,
      principal_id: 2 + chosen,
      key_id: 1 + chosen,
      model_id: 1 + (chosen % models),
      model: `model-${1 + (chosen % models)}`,
      provider_id: 1 + (chosen % models),
      virtual_model: 'chat',
      path: '/v1/chat/completions',
      snapshot_version: 1,
      route: 'rule:0',
      tag: row % 3 === 0 ? 'spill' : null,
      frontend_model_id: 1,
      rule_id: 1,
      prompt_class_id: null,
      budget_percent: null,
      matched_headers: [],
      rule_inputs: null,
      stream: row % 2 === 0,
      status: 200,
      refusal: null,
      prompt_tokens: 1_000 + (row % 500),
      completion_tokens: 200 + (row % 100),
      cache_read_tokens: 512,
      cache_write_5m_tokens: null,
      cache_write_1h_tokens: null,
      input_audio_tokens: null,
      input_image_tokens: null,
      reasoning_tokens: 0,
      output_audio_tokens: null,
      output_image_tokens: null,
      server_tool_calls: null,
      units: null,
      service_tier: 'default',
      usage_reported: true,
      usage_estimated: false,
      reported_cost_micros: null,
      cached: false,
      duration_ms: 300 + ((row * 31) % 4_000),
      ttft_ms: 80 + ((row * 17) % 600),
      attempts: 1,
      prompt_estimate: 1_010,
      max_tokens: 512,
      run: '01ARZ3NDEKTSV4RRFFQ6000001',
      seq: row + 1,
    };
  });
  const sender = {
    run: '01ARZ3NDEKTSV4RRFFQ6000001',
    assigned: (number + 1) * batchRows,
    dropped: [],
  };
  return JSON.stringify({ replica: 'bench', events, sender: { ...sender, replica: 'bench' } });
}

async function send(adminUrl: string, bodies: readonly string[]): Promise<void> {
  let next = 0;
  const connection = async (): Promise<void> => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      const answer = await fetch(`${adminUrl}/usage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${proxyToken}`, 'content-type': 'application/json' },
        body,
      });
      const text = await answer.text();
      if (!text.includes(`"accepted":${batchRows}`)) {
        throw new Error(`POST /usage was answered ${answer.status}: ${text.slice(0, 300)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: Number(values.connections) }, connection));
}

async function measure(databaseUrl: string): Promise<void> {
  const execArgv =
    values.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', values.profile];
  const server = await startServer(databaseUrl, { execArgv });
  try {
    const bodies = Array.from({ length: (rows + warmUpRows) / batchRows }, (_value, index) =>
      batch(index),
    );
    const warmUp = warmUpRows / batchRows;
    await send(server.adminUrl, bodies.slice(0, warmUp));
    const postmaster = await postmasterOf(databaseUrl);
    const cpu = () => ({
      control: cpuSeconds(server.pid),
      postgres: cpuSecondsOfFamily(postmaster),
      sender: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
    });
    const before = cpu();
    const startedAt = performance.now();
    await send(server.adminUrl, bodies.slice(warmUp));
    const seconds = (performance.now() - startedAt) / 1000;
    const after = cpu();
    const each = (what: keyof typeof after): string =>
      (((after[what] - before[what]) * 1e6) / rows).toFixed(1);
    console.log(
      `${rows} rows of ${principals} principals over ${values.connections} connections: ` +
        `${Math.round(rows / seconds)} rows/s; CPU a row: control plane ${each('control')} µs, ` +
        `Postgres ${each('postgres')} µs, sender ${each('sender')} µs`,
    );
  } finally {
    await server.end();
  }
}

await globalSetup();
const { url, drop } = await testDatabase();
try {
  console.log(`load average before: ${loadavg()[0]?.toFixed(1)}`);
  await prepareDatabase(url, (plane) =>
    fillLog(plane, { principals, providers: models, models, keys: principals }),
  );
  await measure(url);
  console.log(`load average after: ${loadavg()[0]?.toFixed(1)}`);
} finally {
  await drop();
  await globalTeardown();
}
