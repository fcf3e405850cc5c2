// Tests which ports of a node the agent tries for a container, in the order of the specification
// ("Host-registration agent").

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { container } from '../../src/agent/cluster-objects.ts';
import { declaredHostPorts, hostNetworkPorts } from '../../src/agent/host-port.ts';

type Given = Readonly<Record<string, unknown>>;

const read = (given: Given) => container.parse({ name: 'engine', ...given });
const portsOf = (given: Given) => hostNetworkPorts(read(given)).map(({ port }) => port);
const httpGet = (port: number | string) => ({ httpGet: { path: '/health', port } });

const probes = { readinessProbe: httpGet(1), livenessProbe: httpGet(2), startupProbe: httpGet(3) };
const flag = { args: ['--port', '8100'] };

const cases: readonly (readonly [string, Given, readonly number[]])[] = [
  [
    'a declared hostPort before all else',
    { ports: [{ containerPort: 8000, hostPort: 30_000 }], ...flag, ...probes },
    [30_000],
  ],
  [
    'then a declared containerPort',
    { ports: [{ containerPort: 8000 }], ...flag, ...probes },
    [8000],
  ],
  ['then the --port flag', { ...flag, ...probes }, [8100]],
  ['then the readiness probe', probes, [1]],
  ['then the liveness probe', { ...probes, readinessProbe: null }, [2]],
  ['then the startup probe', { startupProbe: httpGet(3) }, [3]],
  ['else none', {}, []],
  [
    'every port that is declared the same way',
    { ports: [{ containerPort: 8000 }, { containerPort: 8001 }] },
    [8000, 8001],
  ],
  [
    'no port of UDP',
    { ports: [{ containerPort: 53, hostPort: 53, protocol: 'UDP' }], ...flag },
    [8100],
  ],
  ['no hostPort 0', { ports: [{ containerPort: 8000, hostPort: 0 }] }, [8000]],
  ['a flag in the command', { command: ['serve', '--port', '9000'] }, [9000]],
  ['a flag with its value in one word', { args: ['--port=9001'] }, [9001]],
  [
    'a flag in the text of a shell',
    { command: ['sh', '-c', 'exec vllm serve m --host 0.0.0.0 --port 9002 --tp 2'] },
    [9002],
  ],
  ['a flag in quotes', { args: ['serve --port "9003"'] }, [9003]],
  ['the last of several flags', { command: ['serve', '--port', '1'], args: ['--port=2'] }, [2]],
  ['no flag of another name', { args: ['--metrics-port', '9', '--port-range=8'] }, []],
  ['no flag whose value is a variable', { args: ['--port', '$(PORT)'], ...probes }, [1]],
  ['no flag beyond the last port', { args: ['--port', '70000'] }, []],
  ['no flag without a value', { args: ['--port'] }, []],
  [
    'no probe by the name of a port',
    { readinessProbe: httpGet('http'), livenessProbe: httpGet(2) },
    [2],
  ],
  [
    'no probe that is not httpGet',
    { readinessProbe: { tcpSocket: { port: 7 } }, startupProbe: httpGet(3) },
    [3],
  ],
];

for (const [what, given, ports] of cases) {
  it(`a container in the network of its node is looked for at ${what}`, () =>
    assert.deepEqual(portsOf(given), ports));
}

it('considers only a declared hostPort of a container outside the host network', () => {
  assert.deepEqual(declaredHostPorts(read({ ports: [{ containerPort: 8000 }], ...flag })), []);
  const ports = [
    { containerPort: 8000, hostPort: 1, hostIP: '0.0.0.0' },
    { containerPort: 8000, hostPort: 2, hostIP: '10.0.0.9' },
  ];
  assert.deepEqual(declaredHostPorts(read({ ports })), [
    { port: 1, hostIp: null },
    { port: 2, hostIp: '10.0.0.9' },
  ]);
});
