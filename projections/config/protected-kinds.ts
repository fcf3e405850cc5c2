// Reads from the settings which kinds of change need an approval.

import type { ChangeKind } from '../../src/lib/vocabulary.ts';
import { defaultSettings } from './settings.ts';
import type { ConfigState } from './state.ts';

/** While a policy exists, changing it needs an approval too. */
export function protectedKinds(state: ConfigState): readonly ChangeKind[] {
  const { changePolicy } = state.settings.byId.get(1) ?? defaultSettings;
  return changePolicy.length === 0 ? [] : [...new Set<ChangeKind>([...changePolicy, 'policy'])];
}
