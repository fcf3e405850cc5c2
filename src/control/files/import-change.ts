// Says in a line what an event of an import changes, for whoever wants to see it before it is done.

import { parseStream } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';

/** `state` is the one behind the whole import: `ModelPriced model small`. */
export function changeText(state: ConfigState, { stream, type, data }: GwEvent): string {
  const { noun, id } = parseStream(stream);
  const entity = state[noun].byId.get(id);
  const named = entity !== undefined && 'name' in entity ? entity.name : null;
  // A person's name lies in the vault.
  const name = typeof named === 'string' ? named : (named?.text ?? String(id));
  const more = 'resource' in data ? ` ${data.resource}` : '';
  return `${type} ${noun} ${name}${more}`;
}
