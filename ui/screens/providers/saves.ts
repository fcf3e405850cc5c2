// Builds the saves of a provider. The credential is not part of the diff.

import { calling } from '../../api/http/call.ts';
import type { AvailableModel, Provider } from '../../api/records.ts';
import { applyCalls } from '../../api/change-sets.ts';
import { shownCredential } from '../../lib/providers/credential-draft.ts';
import { formatCount } from '../../lib/text/format.ts';
import { providerBody, providerChange } from '../../lib/providers/provider-draft.ts';
import type { ProviderDraft } from '../../lib/providers/provider-draft.ts';
import { registrationCalls } from '../../lib/providers/registration.ts';
import { additionOf, changeOf as changeSave, seen } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';

const busyText = 'Loading the models of the provider…';

export function creationOf(draft: ProviderDraft): Save {
  const body = providerBody(draft);
  const name = body.name ?? body.catalogue_key ?? body.api_base;
  const run = calling('POST', '/admin/providers', { body });
  return additionOf({ noun: 'provider', name }, { after: shownCredential(body), busyText, run });
}

export function changeOf(provider: Provider, draft: ProviderDraft): Save {
  const body = providerChange(draft, provider);
  const credential = provider.has_upstream_api_key ? 'set' : 'none';
  const run = calling('PATCH', '/admin/providers/{id}', { ...seen(provider), body });
  return changeSave(
    { noun: 'provider', name: provider.name },
    { before: { ...provider, credential }, after: shownCredential(body), busyText, run },
  );
}

/** In one version, so that one undo removes them. */
export function registrationOf(provider: Provider, chosen: readonly AvailableModel[]): Save {
  const count = formatCount(chosen.length, 'model');
  const calls = registrationCalls(provider, chosen);
  const defaultReason = `${count} of ${provider.name} registered`;
  return {
    heading: `Register ${count} of ${provider.name}`,
    verb: `Register ${count}`,
    done: `${count} registered`,
    before: {},
    after: { models: chosen.map(({ id }) => id).join(', ') },
    opens: () => [provider.id, 'models'],
    run: (change) => applyCalls(calls, { ...change, defaultReason }),
  };
}
