// What can be done to a provider, each as a save. Its credential is in no table.

import { call } from '../../api/http/call.ts';
import type { AvailableModel, Provider } from '../../api/records.ts';
import { applyCalls } from '../../api/change-sets.ts';
import { shownCredential } from '../../lib/providers/credential-draft.ts';
import { formatCount } from '../../lib/text/format.ts';
import { providerBody, providerChange } from '../../lib/providers/provider-draft.ts';
import type { ProviderDraft } from '../../lib/providers/provider-draft.ts';
import { registrationCalls } from '../../lib/providers/registration.ts';
import { theList, theMade } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';

const busyText = 'Asking the provider for its models…';

export function creationOf(draft: ProviderDraft): Save {
  const body = providerBody(draft);
  const name = body.name ?? body.catalogue_key ?? body.api_base;
  return {
    heading: `Add provider ${name}`,
    verb: 'Add provider',
    done: `Provider ${name} added`,
    before: {},
    after: shownCredential(body),
    busyText,
    opens: theMade,
    run: (change) => call('POST', '/admin/providers', { body, ...change }),
  };
}

export function changeOf(provider: Provider, draft: ProviderDraft): Save {
  const body = providerChange(draft, provider);
  return {
    heading: `Change ${provider.name}`,
    verb: 'Publish change',
    done: `Provider ${provider.name} changed`,
    before: { ...provider, credential: provider.has_upstream_api_key ? 'set' : 'none' },
    after: shownCredential(body),
    busyText,
    run: (change) =>
      call('PATCH', '/admin/providers/{id}', {
        params: { id: provider.id },
        body,
        version: provider.version,
        ...change,
      }),
  };
}

export const deletionOf = (provider: Provider): Save => ({
  heading: `Delete ${provider.name}`,
  verb: 'Delete provider',
  done: `Provider ${provider.name} deleted`,
  before: null,
  after: null,
  danger: true,
  name: provider.name,
  opens: theList,
  run: (change) =>
    call('DELETE', '/admin/providers/{id}', {
      params: { id: provider.id },
      version: provider.version,
      ...change,
    }),
});

/** All of them at one version, or none; taken back as one. */
export function registrationOf(provider: Provider, chosen: readonly AvailableModel[]): Save {
  const count = formatCount(chosen.length, 'model');
  const calls = registrationCalls(provider, chosen);
  const said = `${count} of ${provider.name} registered`;
  return {
    heading: `Register ${count} of ${provider.name}`,
    verb: `Register ${count}`,
    done: `${count} registered`,
    before: {},
    after: { models: chosen.map(({ id }) => id).join(', ') },
    opens: () => [provider.id, 'models'],
    run: (change) => applyCalls(calls, { ...change, said }),
  };
}
