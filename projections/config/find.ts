// Finds the entities that a command or a path names, and refuses names that do not exist.

import { nouns } from '../../events/nouns.ts';
import type { Noun } from '../../events/nouns.ts';
import type { RuleId } from '../../src/lib/ids.ts';
import { refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import type { FrontendModel, Rule } from './frontend-model.ts';
import { findValue } from './id-map.ts';
import type { Role } from './role.ts';
import type { ConfigState } from './state.ts';

export const absent = (noun: Noun, id: number): Refusal =>
  refuse('absent', `${nouns[noun].words} ${id} does not exist`);

/** The form of a deleted entity's name. */
export const goneName = (id: number): string => `#${id}`;

export const roleNamed = (state: ConfigState, name: string): Role | undefined =>
  findValue(state.role.byId, (role) => role.name === name);

export function ruleWithId(
  state: ConfigState,
  id: RuleId,
): Readonly<{ owner: FrontendModel; rule: Rule }> | null {
  for (const owner of state.frontend_model.byId.values()) {
    const rule = owner.rules.find((one) => one.id === id);
    if (rule !== undefined) return { owner, rule };
  }
  return null;
}
