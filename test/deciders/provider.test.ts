// Tests commands on providers.

import { describe, it } from 'node:test';

import type { Endpoint, StoredCredential } from '../../events/provider.ts';
import { providerId } from '../../src/lib/ids.ts';
import type { ProviderKind } from '../../src/lib/vocabulary.ts';
import {
  backendAttached,
  credentialOf,
  endpointAt,
  modelCreated,
  providerCreated,
  providerDeleted,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

const one = providerId.parse(1);
const stream = 'provider-1';
const here = endpointAt('https://here.example/v1');
const there = endpointAt('https://there.example/v1');
const secret = credentialOf('secret', 1);
const other = credentialOf('other', 2);

type Creation = {
  name?: string | null;
  kind?: ProviderKind;
  endpoint?: Endpoint;
  credential?: StoredCredential | null;
};
const create = (change: Creation = {}) =>
  ({
    type: 'CreateProvider',
    name: 'p',
    defaultName: 'here.example',
    kind: 'static',
    catalogueKey: null,
    endpoint: here,
    credential: null,
    ...change,
  }) as const;

type Change = {
  name?: string;
  kind?: ProviderKind;
  endpoint?: Endpoint;
  credential?: StoredCredential | null;
  keepCredential?: boolean;
  from?: { endpoint: Endpoint; credential: StoredCredential | null };
};
const update = (change: Change) =>
  ({
    type: 'UpdateProvider',
    id: one,
    name: change.name,
    kind: change.kind,
    endpoint: change.endpoint,
    credential: change.credential,
    keepCredential: change.keepCredential ?? false,
    from: change.from,
  }) as const;

describe('a provider', () => {
  it('is created with the next id', () =>
    given([providerCreated(1, 'p', { endpoint: here })])
      .when(create({ name: 'q', endpoint: there, credential: secret }))
      .yields([providerCreated(2, 'q', { endpoint: there, credential: secret })]));

  it('never gets the id of one that was deleted', () =>
    given([providerCreated(1, 'p', { endpoint: here }), providerDeleted(1)])
      .when(create())
      .yields([providerCreated(2, 'p', { endpoint: here })]));

  it('of kind dynamic is not created: registration alone makes one', () =>
    given([])
      .when(create({ kind: 'dynamic' }))
      .refuses('invalid', /dynamic/, 'kind'));

  it('does not take a name that is held', () =>
    given([providerCreated(1, 'p', { endpoint: here })])
      .when(create({ endpoint: there }))
      .refuses('conflict', /provider p exists/, 'name'));

  it('does not take an address with the same auth as another, whatever its name', () => {
    for (const credential of [null, secret]) {
      given([providerCreated(1, 'p', { endpoint: here, credential })])
        .when(create({ name: 'q', credential: credential && { ...credential, ref: other.ref } }))
        .refuses('conflict', /provider p has the address https:\/\/here.example\/v1/, 'api_base');
    }
  });

  it('may share an address under another auth', () => {
    const different: Creation[] = [
      { credential: other },
      { credential: null },
      { credential: secret, endpoint: { ...here, auth_header: 'x-api-key' } },
      { credential: secret, endpoint: { ...here, auth_scheme: null } },
      { credential: secret, endpoint: { ...here, protocol: 'anthropic' } },
    ];
    for (const change of different) {
      given([providerCreated(1, 'p', { endpoint: here, credential: secret })])
        .when(create({ name: 'q', ...change }))
        .yields([providerCreated(2, 'q', { endpoint: here, credential: null, ...change })]);
    }
  });

  it('without a name gets the default, with a number if that is taken', () => {
    const first = providerCreated(1, 'here.example', { endpoint: here });
    const second = providerCreated(2, 'here.example#2', { endpoint: here, credential: secret });
    given([])
      .when(create({ name: null }))
      .yields([first]);
    given([first])
      .when(create({ name: null, credential: secret }))
      .yields([second]);
    given([first, second])
      .when(create({ name: null, credential: other }))
      .yields([providerCreated(3, 'here.example#3', { endpoint: here, credential: other })]);
  });
});

describe('an update of a provider', () => {
  const bare = providerCreated(1, 'p', { endpoint: here });
  const held = providerCreated(1, 'p', { endpoint: here, credential: secret });

  it('renames', () =>
    given([held])
      .when(update({ name: 'q' }))
      .yields([{ stream, type: 'ProviderRenamed', data: { id: one, name: 'q' } }]));

  it('may make it dynamic, and static again', () => {
    const toDynamic = {
      stream,
      type: 'ProviderKindChanged',
      data: { id: one, kind: 'dynamic' },
    } as const;
    given([held])
      .when(update({ kind: 'dynamic' }))
      .yields([toDynamic]);
    given([held, toDynamic])
      .when(update({ kind: 'static' }))
      .yields([{ ...toDynamic, data: { id: one, kind: 'static' } }]);
  });

  it('to what it is, or that names nothing, changes nothing', () => {
    given([held])
      .when(update({ name: 'p', kind: 'static', endpoint: here }))
      .yields([]);
    given([held]).when(update({})).yields([]);
    given([bare])
      .when(update({ credential: null }))
      .yields([]);
  });

  it('sets a credential, the same one too, whose vault item may have been lost', () => {
    for (const credential of [other, { ...secret, ref: other.ref }]) {
      given([held])
        .when(update({ credential }))
        .yields([{ stream, type: 'ProviderCredentialSet', data: { id: one, credential } }]);
    }
  });

  it('clears the credential with null', () =>
    given([held])
      .when(update({ credential: null }))
      .yields([{ stream, type: 'ProviderCredentialCleared', data: { id: one } }]));

  it('does not take a name that another holds', () =>
    given([held, providerCreated(2, 'q', { endpoint: there })])
      .when(update({ name: 'q' }))
      .refuses('conflict', /provider q exists/, 'name'));

  it('does not take the address and auth of another', () => {
    const twin = providerCreated(2, 'q', { endpoint: there, credential: secret });
    given([bare, twin])
      .when(update({ endpoint: there, credential: secret }))
      .refuses('conflict', /provider q has the address/, 'api_base');
    given([bare, providerCreated(2, 'q', { endpoint: here, credential: secret })])
      .when(update({ credential: secret }))
      .refuses('conflict', /provider q has the address/, 'api_base');
    given([held, providerCreated(2, 'q', { endpoint: here })])
      .when(update({ credential: null }))
      .refuses('conflict', /provider q has the address/, 'api_base');
  });

  it('of one that does not exist is refused', () =>
    given([])
      .when(update({}))
      .refuses('absent', /provider 1 does not exist/));
});

describe('a stored credential', () => {
  const held = providerCreated(1, 'p', { endpoint: here, credential: secret });
  const moved = (endpoint: Endpoint) =>
    ({
      stream,
      type: 'ProviderEndpointChanged',
      data: { id: one, endpoint, from_api_base: here.api_base },
    }) as const;
  const elsewhere = [
    there,
    endpointAt('http://here.example/v1'),
    endpointAt('https://here.example:8443/v1'),
    endpointAt('https://here.example.attacker.example/v1'),
  ];

  it('does not follow its provider to another origin unasked', () => {
    for (const endpoint of elsewhere) {
      given([held])
        .when(update({ endpoint }))
        .refuses('invalid', /would send the stored credential to another origin/, 'api_base');
    }
  });

  it('follows with keep_credential', () =>
    given([held])
      .when(update({ endpoint: there, keepCredential: true }))
      .yields([moved(there)]));

  it('follows to another path of its origin', () => {
    const path = endpointAt('https://here.example:443/v2');
    given([held])
      .when(update({ endpoint: path }))
      .yields([moved(path)]);
  });

  it('is replaced, or cleared, together with the move', () => {
    given([held])
      .when(update({ endpoint: there, credential: other }))
      .yields([
        moved(there),
        { stream, type: 'ProviderCredentialSet', data: { id: one, credential: other } },
      ]);
    given([held])
      .when(update({ endpoint: there, credential: null }))
      .yields([moved(there), { stream, type: 'ProviderCredentialCleared', data: { id: one } }]);
  });

  it('that is not there holds no move up', () =>
    given([providerCreated(1, 'p', { endpoint: here })])
      .when(update({ endpoint: there }))
      .yields([moved(there)]));
});

describe('the deletion of a provider', () => {
  const deletion = { type: 'DeleteProvider', id: one } as const;
  const provider = providerCreated(1, 'p', { endpoint: here });

  it('names no more models than a refusal can hold', () => {
    const models = Array.from({ length: 103 }, (_, index) => [
      modelCreated(index + 1, `m${index}`),
      backendAttached(index + 1, 1, 'u'),
    ]);
    given([provider, ...models.flat()])
      .when(deletion)
      .refuses('conflict', /still serves 103 models: m0, .* and 3 more$/);
  });

  it('is refused while it serves models, and names them', () =>
    given([
      provider,
      providerCreated(2, 'q', { endpoint: there }),
      modelCreated(1, 'a'),
      modelCreated(2, 'b'),
      modelCreated(3, 'c'),
      backendAttached(1, 1, 'a'),
      backendAttached(2, 2, 'b'),
      backendAttached(3, 1, 'c'),
    ])
      .when(deletion)
      .refuses('conflict', /^provider 1 still serves 2 models: a, c$/));

  it('is possible when it serves none', () =>
    given([provider])
      .when(deletion)
      .yields([providerDeleted(1)]));

  it('of one that does not exist is refused', () =>
    given([])
      .when(deletion)
      .refuses('absent', /provider 1 does not exist/));
});

describe('a change that was made ready for a provider', () => {
  const held = providerCreated(1, 'p', { endpoint: here, credential: secret });
  const from = { endpoint: here, credential: secret };
  const raw = { ...here, auth_scheme: null };

  it('is made to it, as long as it is so', () =>
    given([held])
      .when(update({ endpoint: raw, from }))
      .yields([
        {
          stream,
          type: 'ProviderEndpointChanged',
          data: { id: one, endpoint: raw, from_api_base: here.api_base },
        },
      ]));

  it('is refused once its endpoint or its credential is another', () => {
    for (const stale of [
      { endpoint: raw, credential: secret },
      { endpoint: here, credential: { ...secret, ref: other.ref } },
      { endpoint: here, credential: null },
    ]) {
      given([held])
        .when(update({ endpoint: raw, from: stale }))
        .refuses('conflict', /provider 1 was modified concurrently/);
    }
  });
});
