// Tests commands on a model's backend, the link to its one provider.

import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import type { BackendTarget } from '../../src/deciders/model.ts';
import { modelId, providerId } from '../../src/lib/ids.ts';
import {
  backendAttached,
  credentialOf,
  endpointAt,
  modelCreated,
  providerCreated,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

const one = modelId.parse(1);
const gpt = modelCreated(1, 'gpt');
const here = endpointAt('https://here.example/v1');
const secret = credentialOf('secret', 1);
const other = credentialOf('other', 2);
const detached: GwEvent = { stream: 'model-1', type: 'ModelBackendDetached', data: { id: one } };

const attach = (target: BackendTarget, upstreamModel: string | null = null) =>
  ({ type: 'AttachBackend', id: one, target, upstreamModel, defaultMaxTokens: null }) as const;
const toProvider = (id: number): BackendTarget => ({ providerId: providerId.parse(id) });
const toEndpoint = (credential = credentialOf('', 0), endpoint = here): BackendTarget => ({
  endpoint,
  credential: credential.fingerprint === '' ? null : credential,
  defaultName: 'here.example',
  answered: true,
});

describe('a backend', () => {
  const provider = providerCreated(1, 'p', { endpoint: here, credential: secret });

  it('is attached to a provider by id, under the name of the model', () =>
    given([gpt, provider])
      .when(attach(toProvider(1)))
      .yields([backendAttached(1, 1, 'gpt')]));

  it('is attached under the upstream name that is given', () =>
    given([gpt, provider])
      .when(attach(toProvider(1), 'org/gpt'))
      .yields([backendAttached(1, 1, 'org/gpt')]));

  it('is not attached to a provider that does not exist', () =>
    given([gpt])
      .when(attach(toProvider(3)))
      .refuses('invalid', /provider 3 does not exist/, 'provider_id'));

  it('is one a model: a second is refused, to the same provider too', () => {
    const served = [gpt, provider, backendAttached(1, 1, 'gpt')];
    for (const target of [toProvider(1), toProvider(3), toEndpoint()]) {
      given(served)
        .when(attach(target))
        .refuses('conflict', /model gpt already has a provider/);
    }
  });

  it('is not attached to a model that does not exist', () =>
    given([provider])
      .when(attach(toProvider(1)))
      .refuses('absent', /model 1 does not exist/));

  it('is detached and attached again', () => {
    given([gpt, provider, backendAttached(1, 1, 'gpt')])
      .when({ type: 'DetachBackend', id: one })
      .yields([detached]);
    given([gpt, provider, backendAttached(1, 1, 'gpt'), detached])
      .when(attach(toProvider(1)))
      .yields([backendAttached(1, 1, 'gpt')]);
  });

  it('that is not there is not detached', () =>
    given([gpt])
      .when({ type: 'DetachBackend', id: one })
      .refuses('absent', /model gpt has no backend/));
});

const update = (change: { flowControl?: object; defaultMaxTokens?: number | null }) =>
  ({
    type: 'UpdateBackend',
    id: one,
    flowControl: {},
    defaultMaxTokens: undefined,
    ...change,
  }) as const;
const defaultSet = (value: number | null): GwEvent => ({
  stream: 'model-1',
  type: 'ModelDefaultMaxTokensSet',
  data: { id: one, default_max_tokens: value },
});

describe('the default for max_tokens', () => {
  const attached = [gpt, providerCreated(1, 'p', { endpoint: here }), backendAttached(1, 1, 'gpt')];

  it('is set and cleared, without touching what is not named', () => {
    given(attached)
      .when(update({ defaultMaxTokens: 64 }))
      .yields([defaultSet(64)]);
    given([...attached, defaultSet(64)])
      .when(update({ defaultMaxTokens: null }))
      .yields([defaultSet(null)]);
  });

  it('changes nothing when it is what it was, or not named', () => {
    given([...attached, defaultSet(64)])
      .when(update({ defaultMaxTokens: 64 }))
      .yields([]);
    given([...attached, defaultSet(64)])
      .when(update({}))
      .yields([]);
  });

  it('is refused where no backend is', () => {
    given([gpt])
      .when(update({ defaultMaxTokens: 64 }))
      .refuses('absent', /no backend has the id 1/);
    given([...attached, detached])
      .when(update({ defaultMaxTokens: 64 }))
      .refuses('absent', /no backend has the id 1/);
  });
});

describe('a backend given by its endpoint', () => {
  it('reuses the provider with that address and auth', () =>
    given([
      gpt,
      providerCreated(1, 'p', { endpoint: here, credential: other }),
      providerCreated(2, 'q', { endpoint: here, credential: secret }),
    ])
      .when(attach(toEndpoint({ ...secret, ref: other.ref })))
      .yields([backendAttached(1, 2, 'gpt')]));

  it('without a credential reuses the provider at the address that has none', () =>
    given([
      gpt,
      providerCreated(1, 'p', { endpoint: here, credential: secret }),
      providerCreated(2, 'q', { endpoint: here }),
    ])
      .when(attach(toEndpoint()))
      .yields([backendAttached(1, 2, 'gpt')]));

  it('without a credential reuses the provider at the address, when all have one', () =>
    given([gpt, providerCreated(1, 'p', { endpoint: here, credential: secret })])
      .when(attach(toEndpoint()))
      .yields([backendAttached(1, 1, 'gpt')]));

  it('that has not answered reuses a provider and creates none', () => {
    const silent = { ...toEndpoint(secret), answered: false };
    given([gpt, providerCreated(1, 'p', { endpoint: here, credential: secret })])
      .when(attach(silent))
      .yields([backendAttached(1, 1, 'gpt')]);
    given([gpt])
      .when(attach(silent))
      .refuses('conflict', /the provider at https:\/\/here.example\/v1 was deleted/);
  });

  it('creates a static provider where none fits, under a free name', () => {
    const taken = providerCreated(1, 'here.example', { endpoint: here, credential: secret });
    const different = [
      { credential: other, endpoint: here },
      { credential: secret, endpoint: endpointAt('https://here.example/v2') },
      { credential: secret, endpoint: { ...here, auth_header: 'x-api-key' } },
      { credential: secret, endpoint: { ...here, auth_scheme: null } },
      { credential: secret, endpoint: { ...here, protocol: 'gemini' } as const },
    ];
    for (const { credential, endpoint } of different) {
      given([gpt, taken])
        .when(attach(toEndpoint(credential, endpoint)))
        .yields([
          providerCreated(2, 'here.example#2', { endpoint, credential }),
          backendAttached(1, 2, 'gpt'),
        ]);
    }
  });
});
