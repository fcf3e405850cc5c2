// Loads the names of the records that requests can be filtered by.

import { list } from '../../../ui/api/http/call.ts';
import { choicesOf, recordChoices } from '../../../ui/lib/page/choices.ts';
import type { Source } from './filters.ts';

type Choice = Readonly<{ value: string; label: string }>;
type Load = (signal: AbortSignal) => Promise<readonly Choice[]>;

const names = async (
  path: '/admin/provider-models' | '/admin/frontend-models' | '/admin/prompt-classes',
  signal: AbortSignal,
): Promise<readonly string[]> => (await list(path, { signal })).map(({ name }) => name);

const loads: Readonly<Record<Source, Load>> = {
  models: async (signal) => choicesOf(await names('/admin/provider-models', signal)),
  frontend: async (signal) => {
    const [frontend, models] = await Promise.all([
      names('/admin/frontend-models', signal),
      names('/admin/provider-models', signal),
    ]);
    return choicesOf([...new Set([...frontend, ...models])]);
  },
  providers: async (signal) =>
    choicesOf((await list('/admin/providers', { signal })).map(({ name }) => name)),
  principals: async (signal) => recordChoices(await list('/admin/principals', { signal })),
  keys: async (signal) =>
    (await list('/admin/keys', { signal })).map(({ id, name, prefix }) => ({
      value: String(id),
      label: `${name} (${prefix})`,
    })),
  classes: async (signal) => choicesOf(await names('/admin/prompt-classes', signal)),
};

export type Records = Readonly<Partial<Record<Source, readonly Choice[]>>>;

export async function loadRecords(
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<Records> {
  const found = await Promise.all(
    sources.map(async (source) => [source, await loads[source](signal)] as const),
  );
  return Object.fromEntries(found);
}
