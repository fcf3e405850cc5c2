// Loads prompt classes with the rules that use them.

import { list } from '../../api/http/call.ts';
import type { PromptClass } from '../../api/records.ts';
import { askersOf } from '../../lib/routing/class-draft.ts';
import type { ClassUser } from '../../lib/routing/class-draft.ts';

export type ClassRow = PromptClass & Readonly<{ askers: readonly ClassUser[] }>;

export async function loadClasses(signal: AbortSignal): Promise<readonly ClassRow[]> {
  const [classes, frontendModels] = await Promise.all([
    list('/admin/prompt-classes', { signal }),
    list('/admin/frontend-models', { signal }),
  ]);
  return classes.map((one) => Object.assign({}, one, { askers: askersOf(one, frontendModels) }));
}
