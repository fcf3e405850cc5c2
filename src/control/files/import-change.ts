// Describes an event of an import in one line, for a dry run.

import { parseStream } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';

/** For example `ModelPriced model small`. `state` is the state after the whole import. */
export function changeText(state: ConfigState, { stream, type, data }: GwEvent): string {
  const { noun, id } = parseStream(stream);
  const entity = state[noun].byId.get(id);
  const named = entity !== undefined && 'name' in entity ? entity.name : null;
  const name = typeof named === 'string' ? named : (named?.text ?? String(id));
  const more = 'resource' in data ? ` ${data.resource}` : '';
  return `${type} ${noun} ${name}${more}`;
}
