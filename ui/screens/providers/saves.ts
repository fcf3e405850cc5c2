// What can be done to a provider, each as a save. Its credential is in no table.

import type { Answered } from '../../api/call.ts';
import { attachBackend, createModel } from '../../api/models.ts';
import { createProvider, deleteProvider, updateProvider } from '../../api/providers.ts';
import type { AvailableModel, Provider } from '../../api/providers.ts';
import { shownCredential } from '../../lib/credential-draft.ts';
import { formatCount } from '../../lib/format.ts';
import { providerBody, providerChange } from '../../lib/provider-draft.ts';
import type { ProviderDraft } from '../../lib/provider-draft.ts';
import { theList, theMade } from '../../parts/save.ts';
import type { Save } from '../../parts/save.ts';

const busyText = 'Asking the provider for its models …';

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
    run: (change) => createProvider(body, change),
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
    run: (change) => updateProvider(provider.id, body, { ...change, version: provider.version }),
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
  run: (change) => deleteProvider(provider.id, { ...change, version: provider.version }),
});

/** One after the other; the first that is refused ends it, those before it stand, and are not made again by another attempt. */
export function registrationOf(provider: Provider, chosen: readonly AvailableModel[]): Save {
  const count = formatCount(chosen.length, 'model');
  const made = new Map<string, number>();
  const left = new Set(chosen);
  return {
    heading: `Register ${count} of ${provider.name}`,
    verb: `Register ${count}`,
    done: `${count} registered`,
    before: {},
    after: { models: chosen.map(({ id }) => id).join(', ') },
    opens: () => [provider.id, 'models'],
    run: async ({ reason, preview }) => {
      let answer: Answered<unknown> | null = null;
      for (const one of left) {
        const body = { name: one.id, context_length: one.context_length };
        const id = made.get(one.id) ?? (await createModel(body, { reason, preview })).body.id;
        made.set(one.id, id);
        const backend = { provider_id: provider.id, upstream_model: one.id };
        answer = await attachBackend(id, backend, { reason });
        left.delete(one);
      }
      if (answer === null) throw new Error('no model is left to register');
      return answer;
    },
  };
}
