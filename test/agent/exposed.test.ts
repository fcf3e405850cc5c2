// Tests which addresses of a cluster the agent considers reachable from outside it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { node, pod, service } from '../../src/agent/cluster-objects.ts';
import { exposedBy } from '../../src/agent/exposed.ts';

type Given = Readonly<Record<string, unknown>>;

const metadata = (annotations: Given = {}): Given => ({
  name: 'vllm',
  namespace: 'models',
  annotations,
});
const http = { name: 'http', port: 80, targetPort: 8000, protocol: 'TCP' };

function ofService(spec: Given, more: Given = {}, advertise: string | null = '10.9.9.9') {
  const read = service.parse({ metadata: metadata(), spec, ...more });
  return exposedBy({ services: [read], pods: [], nodes: [] }, advertise);
}
const basesOf = (...given: Parameters<typeof ofService>) =>
  ofService(...given).candidates.map(({ apiBase }) => apiBase);

const ingress = (...hosts: readonly Given[]): Given => ({
  status: { loadBalancer: { ingress: hosts } },
});

const annotated = (address: string) => ({
  metadata: metadata({ 'gw.io/advertise': address }),
});

describe('of a service', () => {
  const balanced = { type: 'LoadBalancer', ports: [{ ...http, nodePort: 31_000 }] };
  const onNodes = { type: 'NodePort', ports: [{ ...http, nodePort: 31_000 }] };
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['ClusterIP, none', basesOf({ type: 'ClusterIP', ports: [http] }), []],
    ['no type, none', basesOf({ ports: [http] }), []],
    ['no ports, none', basesOf({ type: 'ExternalName', externalName: 'a.example' }), []],
    ['NodePort, the port of the nodes', basesOf(onNodes), ['http://10.9.9.9:31000/v1']],
    [
      'LoadBalancer, each address and port of the balancer',
      basesOf(
        { type: 'LoadBalancer', ports: [http, { name: 'https', port: 443 }] },
        ingress({ ip: '198.51.100.7' }, { hostname: 'lb.example' }),
      ),
      [
        'http://198.51.100.7/v1',
        'https://198.51.100.7/v1',
        'http://lb.example/v1',
        'https://lb.example/v1',
      ],
    ],
    ['LoadBalancer that has no address so far, none', basesOf(balanced, { status: {} }), []],
    [
      'an address of IPv6, in brackets',
      basesOf(
        { type: 'LoadBalancer', ports: [{ ...http, port: 8000 }] },
        ingress({ ip: '2001:db8::7' }),
      ),
      ['http://[2001:db8::7]:8000/v1'],
    ],
    [
      'a port of UDP, none',
      basesOf({ type: 'NodePort', ports: [{ ...http, protocol: 'UDP', nodePort: 31_000 }] }),
      [],
    ],
    [
      'the protocol that the port declares',
      basesOf({ type: 'NodePort', ports: [{ ...http, appProtocol: 'https', nodePort: 31_443 }] }),
      ['https://10.9.9.9:31443/v1'],
    ],
    [
      'an annotation, in place of what its type gives',
      basesOf(onNodes, annotated('https://gpu.example/engine/v1/')),
      ['https://gpu.example/engine/v1'],
    ],
    [
      'an annotation of any type, with the usual path when it has none',
      basesOf({ type: 'ClusterIP', ports: [http] }, annotated('http://gpu.example:8000')),
      ['http://gpu.example:8000/v1'],
    ],
    ...['ftp://gpu.example', 'gpu.example:8000', 'file:///etc/passwd', 'javascript:1', ''].map(
      (address) =>
        [
          `an annotation ${JSON.stringify(address)}, none`,
          basesOf(onNodes, annotated(address)),
          [],
        ] as const,
    ),
    ...['http://me:secret@gpu.example', 'http://gpu.example/v1?key=1', 'http://gpu.example/#a'].map(
      (address) =>
        [`an annotation ${address}, none`, basesOf(onNodes, annotated(address)), []] as const,
    ),
  ];
  for (const [what, found, bases] of cases) it(what, () => assert.deepEqual(found, bases));

  it('reports each skipped service, without the value of the annotation', () => {
    assert.deepEqual(ofService(onNodes, annotated('http://me:secret@gpu.example')).left, [
      'gw.io/advertise of service models/vllm is not an http or https address of an endpoint',
    ]);
    const left = ofService(onNodes, {}, null);
    assert.deepEqual(left, {
      candidates: [],
      left: ['the ports of service models/vllm on its nodes need --advertise'],
    });
  });
});

describe('of a pod', () => {
  const nodes = [
    node.parse({
      metadata: { name: 'gpu-1' },
      status: {
        addresses: [
          { type: 'Hostname', address: 'gpu-1' },
          { type: 'ExternalIP', address: '203.0.113.4' },
          { type: 'InternalIP', address: '10.0.0.4' },
          { type: 'InternalIP', address: '2001:db8::4' },
        ],
      },
    }),
    node.parse({
      metadata: { name: 'lost' },
      status: { addresses: [{ type: 'Hostname', address: 'lost' }] },
    }),
  ];
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  const engine = { name: 'engine', ports: [{ containerPort: 8000, hostPort: 8000 }] };
  const onHost = { nodeName: 'gpu-1', hostNetwork: true, containers: [engine] };
  const candidatesOf = (spec: Given, status: Given = ready) =>
    exposedBy(
      { services: [], pods: [pod.parse({ metadata: metadata(), spec, status })], nodes },
      null,
    ).candidates;
  const found = { apiBase: 'http://10.0.0.4:8000/v1', node: 'gpu-1', isOutright: false };

  it('in the host network, the internal address and the name of the node', () =>
    assert.deepEqual(candidatesOf(onHost), [found]));

  it('with a hostPort, the same', () =>
    assert.deepEqual(candidatesOf({ ...onHost, hostNetwork: undefined }), [found]));

  it('none outside the host network without a hostPort', () => {
    const own = { name: 'engine', ports: [{ containerPort: 8000 }], args: ['--port', '8000'] };
    assert.deepEqual(candidatesOf({ nodeName: 'gpu-1', containers: [own] }), []);
  });

  it('each of its containers', () => {
    const second = { name: 'second', args: ['--port=8001'] };
    assert.deepEqual(
      candidatesOf({ ...onHost, containers: [engine, second] }).map(({ apiBase }) => apiBase),
      ['http://10.0.0.4:8000/v1', 'http://10.0.0.4:8001/v1'],
    );
  });

  const bound = (hostIP: string) =>
    candidatesOf({
      ...onHost,
      hostNetwork: false,
      containers: [{ name: 'engine', ports: [{ containerPort: 1, hostPort: 8000, hostIP }] }],
    }).map(({ apiBase }) => apiBase);
  it('the node address that its port is bound to, unless it is a loopback address', () => {
    assert.deepEqual(bound('10.1.0.4'), ['http://10.1.0.4:8000/v1']);
    assert.deepEqual(bound('127.0.0.1'), []);
  });

  it('none if it is not running, not ready, or on a node without a known address', () => {
    const starting = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
    assert.deepEqual(
      [
        candidatesOf(onHost, starting),
        candidatesOf(onHost, { ...ready, phase: 'Pending' }),
        candidatesOf(onHost, { phase: 'Running' }),
        candidatesOf({ ...onHost, nodeName: 'lost' }),
        candidatesOf({ ...onHost, nodeName: 'unknown' }),
        candidatesOf({ ...onHost, nodeName: undefined }),
      ].flat(),
      [],
    );
  });

  it('only once if a service exposes it too, with its node', () => {
    const onNodes = service.parse({
      metadata: metadata(),
      spec: { type: 'NodePort', ports: [{ ...http, nodePort: 8000 }] },
    });
    const pods = [pod.parse({ metadata: metadata(), spec: onHost, status: ready })];
    const { candidates } = exposedBy({ services: [onNodes], pods, nodes }, '10.0.0.4');
    assert.deepEqual(candidates, [found]);
  });
});
