// Tests registrations: what an agent's heartbeat can change and what it cannot.

import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import type { RegisterProvider } from '../../src/deciders/registration.ts';
import { modelId, principalId, providerId } from '../../src/lib/ids.ts';
import type { ProviderKind } from '../../src/lib/vocabulary.ts';
import {
  backendAttached,
  credentialOf,
  endpointAt,
  modelCreated,
  providerCreated,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

const here = endpointAt('http://10.0.0.5:8000/v1');
const mine = principalId.parse(2);
const theirs = principalId.parse(3);

const register = (change: Partial<RegisterProvider> = {}): RegisterProvider => ({
  type: 'RegisterProvider',
  principalId: mine,
  endpoint: here,
  name: 'rack-1',
  defaultName: '10.0.0.5:8000',
  node: 'rack-1.example',
  engine: 'vllm',
  served: null,
  providersMax: 2,
  ...change,
});

const created = (number: number, name: string, kind: ProviderKind = 'dynamic'): GwEvent =>
  providerCreated(number, name, { endpoint: here, kind });
const registered = (number: number, change: Partial<RegisterProvider> = {}): GwEvent => {
  const { principalId: principal_id, node, engine } = register(change);
  const id = providerId.parse(number);
  return {
    stream: `provider-${number}`,
    type: 'ProviderRegistered',
    data: { id, principal_id, node, engine },
  };
};
const degraded: GwEvent = {
  stream: 'provider-1',
  type: 'ProviderDegraded',
  data: { id: providerId.parse(1), reason: 'the lease lapsed' },
};
const recovered: GwEvent = {
  stream: 'provider-1',
  type: 'ProviderRecovered',
  data: { id: providerId.parse(1) },
};
const renamed = (name: string): GwEvent => ({
  stream: 'provider-1',
  type: 'ProviderRenamed',
  data: { id: providerId.parse(1), name },
});
const learned = (number: number): GwEvent => ({
  stream: `model-${number}`,
  type: 'ModelLearned',
  data: { id: modelId.parse(number), principal_id: mine },
});
const held = [created(1, 'rack-1'), registered(1)];

describe('an address that is new', () => {
  it('becomes a dynamic provider without a credential, with what it serves', () =>
    given([])
      .when(register({ served: [{ id: 'qwen', contextLength: 4096 }] }))
      .yields([
        created(1, 'rack-1'),
        registered(1),
        modelCreated(1, 'qwen'),
        learned(1),
        {
          stream: 'model-1',
          type: 'ModelContextLengthSet',
          data: { id: modelId.parse(1), context_length: 4096 },
        },
        backendAttached(1, 1, 'qwen'),
      ]));

  it('is called by its place when no name is given, or another provider has it', () => {
    given([])
      .when(register({ name: null, served: [] }))
      .yields([created(1, '10.0.0.5:8000'), registered(1)]);
    const other = providerCreated(1, 'rack-1', { endpoint: endpointAt('http://10.0.0.6/v1') });
    given([other])
      .when(register({ served: [] }))
      .yields([created(2, '10.0.0.5:8000'), registered(2)]);
  });

  it('is not registered when it did not answer, or the principal holds as many as it may', () => {
    given([])
      .when(register())
      .refuses('conflict', /was deleted; register it again/);
    const there = endpointAt('http://10.0.0.6/v1');
    given(held)
      .when(register({ endpoint: there, served: [], providersMax: 1 }))
      .refuses('conflict', /has 1 providers; the maximum is 1/, 'api_base');
    given(held)
      .when(
        register({ endpoint: there, served: [], providersMax: 1, principalId: theirs, name: 'b' }),
      )
      .yields([
        providerCreated(2, 'b', { endpoint: there, kind: 'dynamic' }),
        registered(2, { principalId: theirs }),
      ]);
  });
});

describe('a beat', () => {
  it('that reports nothing new makes no event', () => {
    given(held).when(register()).yields([]);
    given(held)
      .when(register({ name: null, node: null, engine: null }))
      .yields([]);
  });

  it('renames the provider and says where its agent runs', () =>
    given(held)
      .when(register({ name: 'rack-2', node: 'rack-2.example' }))
      .yields([renamed('rack-2'), registered(1, { node: 'rack-2.example' })]));

  it('does not take a name that another provider has', () => {
    const other = providerCreated(2, 'taken', { endpoint: endpointAt('http://10.0.0.6/v1') });
    given([...held, other])
      .when(register({ name: 'taken' }))
      .yields([]);
  });

  it('brings back what was out of rotation when it answers, and not before', () => {
    given([...held, degraded])
      .when(register({ served: [] }))
      .yields([recovered]);
    given([...held, degraded])
      .when(register())
      .yields([]);
  });

  it('of another principal changes nothing', () =>
    given([...held, degraded])
      .when(register({ principalId: theirs, name: 'stolen', served: [] }))
      .yields([]));

  it('never converts a static or cloud provider', () => {
    for (const kind of ['static', 'cloud'] as const) {
      given([created(1, 'engine', kind)])
        .when(register({ name: 'stolen', served: [] }))
        .yields([]);
    }
  });

  it('holds a provider that an operator made dynamic, and leaves its credential and address', () => {
    const secret = credentialOf('secret', 1);
    const made = providerCreated(1, 'rack-1', { endpoint: here, credential: secret });
    const id = providerId.parse(1);
    const kind: GwEvent = {
      stream: 'provider-1',
      type: 'ProviderKindChanged',
      data: { id, kind: 'dynamic' },
    };
    given([made, kind])
      .when(register())
      .yields([registered(1)]);
  });

  it('holds a provider again that was static in between', () => {
    const id = providerId.parse(1);
    const changed = (kind: ProviderKind): GwEvent => ({
      stream: 'provider-1',
      type: 'ProviderKindChanged',
      data: { id, kind },
    });
    given([...held, degraded, changed('static'), changed('dynamic')])
      .when(register({ principalId: theirs, served: [] }))
      .yields([registered(1, { principalId: theirs })]);
  });
});
