// Tests how the agent applies its flags, and with which flags it does not start (specification,
// "Host-registration agent").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Served } from '../../src/agent/model-list.ts';
import { agentWarnings, planAgent } from '../../src/cli/agent-plan.ts';
import type { AgentPlan } from '../../src/cli/agent-plan.ts';
import { agentSettings } from '../../src/cli/settings/agent-settings.ts';
import type { AgentSettingsTable } from '../../src/cli/settings/agent-settings.ts';
import { settingsTable } from '../../src/cli/settings/settings-table.ts';
import { readTable } from '../../src/cli/settings/settings.ts';

type Flags = Partial<Record<keyof AgentSettingsTable, string>>;

const needed: Flags = { controlUrl: 'https://control.example', token: 'gw-key' };
const inCluster = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
const environment = { env: inCluster, hostName: 'GPU-Box' };

function read(flags: Flags, env: Readonly<Record<string, string>> = {}) {
  const answer = readTable(agentSettings, { flags, env, readFile: () => 'gw-key' });
  assert.ok('settings' in answer, JSON.stringify(answer));
  return answer;
}

function planned(flags: Flags): AgentPlan {
  const plan = planAgent(read({ ...needed, ...flags }).settings, environment);
  assert.ok('controlUrl' in plan, JSON.stringify(plan));
  return plan;
}

function refused(flags: Flags, env: Readonly<Record<string, string>> = inCluster) {
  const answer = readTable(agentSettings, { flags, env: {}, readFile: () => '' });
  if ('refusals' in answer) return answer.refusals.map(({ message }) => message);
  const plan = planAgent(answer.settings, { ...environment, env });
  assert.ok(!('controlUrl' in plan));
  return plan.map(({ message }) => message);
}

const placesOf = (flags: Flags) => planned(flags).fixed.map(({ apiBase }) => apiBase);

describe('the search', () => {
  const commonPorts = [8000, 8001, 8080, 8890];
  const cases: readonly (readonly [string, Flags, readonly string[]])[] = [
    [
      'the usual ports of the advertised address',
      { advertise: '10.0.0.5' },
      commonPorts.map((port) => `http://10.0.0.5:${port}/v1`),
    ],
    [
      'the given ports alone, each once',
      { advertise: 'gpu.example', scanPorts: '9000, 9001,9000' },
      ['http://gpu.example:9000/v1', 'http://gpu.example:9001/v1'],
    ],
    ['an address of IPv6', { advertise: '[fd00::5]', scanPorts: '1' }, ['http://[fd00::5]:1/v1']],
    [
      'each endpoint that is given outright, and nothing else',
      { apiBase: 'http://a:1/v1/,https://b/v1' },
      ['http://a:1/v1', 'https://b/v1'],
    ],
    [
      'both',
      { advertise: 'h', scanPorts: '8000', apiBase: 'http://a/v1' },
      ['http://a/v1', 'http://h:8000/v1'],
    ],
    [
      'no ports when they are none',
      { advertise: 'h', scanPorts: 'none', apiBase: 'http://a/v1' },
      ['http://a/v1'],
    ],
    ['no ports under --kubernetes', { advertise: 'h', kubernetes: 'true' }, []],
    [
      'the given ports under --kubernetes too',
      { advertise: 'h', kubernetes: 'true', scanPorts: '8000' },
      ['http://h:8000/v1'],
    ],
  ];
  for (const [what, flags, places] of cases) {
    it(what, () => assert.deepEqual(placesOf(flags), places));
  }
});

describe('the registration', () => {
  const served: Served = { model: 'Qwen/Qwen3-8B', engine: 'vllm' };
  const candidate = { apiBase: 'http://10.0.0.5:8000/v1', node: 'gpu-1', isOutright: false };
  const sent = (flags: Flags, found: Served | null = served, node: string | null = null) =>
    planned({ advertise: 'h', ...flags }).describe({ ...candidate, node }, found);

  it('on a bare host: the host name as node and first part of the name', () =>
    assert.deepEqual(sent({}), {
      api_base: 'http://10.0.0.5:8000/v1',
      node: 'GPU-Box',
      name: 'gpu-box-qwen-qwen3-8b-8000',
      engine: 'vllm',
      ttl_seconds: 90,
    }));

  it('--node in place of the host name', () => {
    const { node, name } = sent({ node: 'Rack 3' });
    assert.deepEqual([node, name], ['Rack 3', 'rack-3-qwen-qwen3-8b-8000']);
  });

  it('--provider-name as the first part of the name alone', () => {
    const { node, name } = sent({ node: 'n', providerName: 'house' });
    assert.deepEqual([node, name], ['n', 'house-qwen-qwen3-8b-8000']);
  });

  it('--engine in place of what the model list says', () =>
    assert.equal(sent({ engine: 'tgi' }).engine, 'tgi'));

  it('no unknown values', () => {
    const registration = sent({}, null);
    assert.equal(registration.name, 'gpu-box-8000');
    assert.equal('engine' in registration, false);
  });

  it('under --kubernetes: the cluster, and the node of the endpoint', () => {
    const flags = { kubernetes: 'true', providerName: 'East' };
    const { node, name } = sent(flags, served, 'gpu-1');
    assert.deepEqual([node, name], ['gpu-1', 'east-gpu-1-qwen-qwen3-8b-8000']);
    assert.equal(sent(flags).name, 'east-qwen-qwen3-8b-8000');
  });

  it('under --kubernetes: --node as the cluster, and no host name of a pod in a name', () => {
    const names = [{ node: 'east' }, {}].map(
      (flags) => sent({ kubernetes: 'true', ...flags }, served, 'gpu-1').name,
    );
    assert.deepEqual(names, ['east-gpu-1-qwen-qwen3-8b-8000', 'gpu-1-qwen-qwen3-8b-8000']);
  });

  it('the lease that was asked for', () =>
    assert.equal(sent({ ttl: '300', interval: '150' }).ttl_seconds, 300));
});

describe('the agent refuses', () => {
  const cases: readonly (readonly [string, Flags, readonly string[]])[] = [
    [
      'a start without required flags, naming all of them',
      {},
      [
        'the agent needs --control-url (GW_CONTROL_URL)',
        'the agent needs an API key: GW_AGENT_TOKEN (--token)',
        'the agent needs --advertise, --api-base or --kubernetes',
      ],
    ],
    [
      'an interval of more than half of the lease',
      { ...needed, advertise: 'h', ttl: '90', interval: '46' },
      ['--interval 46 is too long for --ttl 90: it must be at most half of it'],
    ],
    [
      'ports without an address',
      { ...needed, scanPorts: '8000', apiBase: 'http://a/v1' },
      ['--scan-ports needs --advertise, the address to probe them on'],
    ],
    [
      'an address with nothing to scan',
      { ...needed, advertise: 'h', scanPorts: 'none' },
      ['the agent needs --advertise, --api-base or --kubernetes'],
    ],
    [
      'an address with a scheme or a port',
      { ...needed, advertise: 'http://h:8000' },
      [
        '--advertise must be a host name or an IP address, without scheme and port, was "http://h:8000"',
      ],
    ],
    [
      'an invalid port',
      { ...needed, advertise: 'h', scanPorts: '8000,0' },
      ['--scan-ports must be comma-separated port numbers from 1 to 65535, or none, was "8000,0"'],
    ],
    [
      'an endpoint that is not a URL',
      { ...needed, apiBase: 'http://a/v1,b:8000' },
      ['--api-base must be an http:// or https:// address, was "http://a/v1,b:8000"'],
    ],
    [
      'an endpoint with a query',
      { ...needed, apiBase: 'http://a/v1?k=1' },
      ['--api-base must be addresses without user, query and fragment, was "http://a/v1?k=1"'],
    ],
    [
      'no time at all',
      { ...needed, advertise: 'h', interval: '0', probeWorkers: '0' },
      [
        '--interval must be a whole number from 1 to 86400, was "0"',
        '--probe-workers must be a whole number from 1 to 1024, was "0"',
      ],
    ],
  ];
  for (const [what, flags, messages] of cases) {
    it(what, () => assert.deepEqual(refused(flags), messages));
  }

  it('--kubernetes outside of a cluster', () =>
    assert.deepEqual(refused({ ...needed, kubernetes: 'true' }, {}), [
      'this process does not run in a cluster: KUBERNETES_SERVICE_HOST and _PORT are not set',
    ]));
});

it('has one variable per flag, and gives a name shared with a role the same meaning', () => {
  const own = Object.values(agentSettings);
  assert.equal(new Set(own.map(({ variable }) => variable)).size, own.length);
  for (const { flag, variable } of own) {
    assert.match(variable, /^GW_[A-Z_]+$/);
    const shared = Object.values(settingsTable).filter((one) => one.variable === variable);
    assert.deepEqual(
      shared.map((one) => one.flag),
      shared.map(() => flag),
    );
  }
});

it('warns of a token in the arguments, not in the environment', () => {
  assert.deepEqual(agentWarnings(read({}, { GW_AGENT_TOKEN: 'gw-key' }).settings), []);
  assert.match(agentWarnings(read(needed).settings).join(), /--token is visible/);
});

it('accepts variables of the agent in a role, and those of a role in the agent', () => {
  const env = { GW_ADVERTISE: 'h', GW_AGENT_TOKEN_FILE: '/run/token', GW_DATABASE_URL: 'x' };
  assert.deepEqual(read({}, env).warnings, []);
});
