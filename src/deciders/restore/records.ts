// Restores MCP servers, A2A agents and the deployment's settings.

import { streamOf } from '../../../events/catalogue.ts';
import type { RemoteNoun } from '../../../events/nouns.ts';
import type { Remotes } from '../../../projections/config/remote.ts';
import type { Settings } from '../../../projections/config/settings.ts';
import { snakeCase } from '../../lib/case.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { refuseLeak } from '../credential-leak.ts';
import { remoteEvents } from '../remote.ts';
import { restoredCredential } from './credential.ts';
import type { Attainable, Loss, RestoreFacts, Restoring } from './kind.ts';

function attainable<Entity extends Remotes[RemoteNoun]>(
  wanted: Entity,
  held: Entity | undefined,
  { erased }: RestoreFacts,
): Attainable<Entity> {
  const isOneOrigin =
    held !== undefined &&
    refuseLeak({ from: held.details.url, to: wanted.details.url, param: '' }) === null;
  const standIn = isOneOrigin ? held.credential : null;
  const { credential, losses } = restoredCredential(wanted, { erased, standIn });
  return { goal: { ...wanted, credential }, losses };
}

export const remotes = (noun: RemoteNoun): Restoring<Remotes[RemoteNoun]> => ({
  attainable,
  changed: (held, goal) => remoteEvents(noun, held, goal),
});

/** Restores only the fallback model. The other settings belong to the log and its protection. */
export const settings: Restoring<Settings> = {
  attainable: (wanted, held) => {
    const { fallbackModelId } = wanted;
    const kept = Object.entries(held ?? wanted).filter(([key]) => key !== 'fallbackModelId');
    const losses = kept.flatMap(([key, value]): Loss[] => {
      const isSame = canonicalJson(value) === canonicalJson(Reflect.get(wanted, key));
      return isSame ? [] : [{ field: snakeCase(key), reason: 'kept' }];
    });
    return { goal: { ...(held ?? wanted), fallbackModelId }, losses };
  },
  /** Settings always exist. */
  created: () => [],
  changed: (held, { fallbackModelId: model_id }) =>
    model_id === held.fallbackModelId
      ? []
      : [{ stream: streamOf('settings', 1), type: 'FallbackModelSet', data: { model_id } }],
};
