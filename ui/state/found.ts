// What the palette finds besides screens: the entities of the configuration, asked for when it opens.

import { listFrontendModels } from '../api/frontend-models.ts';
import { listKeys } from '../api/keys.ts';
import { listModels } from '../api/models.ts';
import { listPrincipals } from '../api/principals.ts';
import { listProviders } from '../api/providers.ts';

export type Found = Readonly<{ kind: string; name: string; screen: string; id: string }>;

type Named = Readonly<{ id: number; name: string }>;

const sources: readonly Readonly<{
  kind: string;
  screen: string;
  list: (signal: AbortSignal) => Promise<readonly Named[]>;
}>[] = [
  { kind: 'Provider', screen: 'providers', list: listProviders },
  { kind: 'Model', screen: 'models', list: listModels },
  { kind: 'Frontend model', screen: 'frontend-models', list: listFrontendModels },
  { kind: 'Principal', screen: 'principals', list: listPrincipals },
  { kind: 'API key', screen: 'keys', list: listKeys },
];

/** Those that can be listed; one list that cannot does not cost the others. */
export async function findEntities(signal: AbortSignal): Promise<readonly Found[]> {
  const lists = await Promise.allSettled(
    sources.map(async ({ kind, screen, list }) =>
      (await list(signal)).map((one) => ({ kind, screen, name: one.name, id: String(one.id) })),
    ),
  );
  return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
}
