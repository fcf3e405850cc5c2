// Validates a tool choice, for every target protocol.

import type { Chat } from './chat.ts';
import { invalid } from './refusal.ts';
import type { Refusals } from './refusal.ts';

export function refuseToolChoice({ tools, toolChoice }: Chat, refusals: Refusals): void {
  for (const name of toolChoice?.names ?? []) {
    if (tools.some((tool) => tool.name === name)) continue;
    refusals.push(invalid('tool_choice', `names ${name.slice(0, 60)}, which is not among tools`));
  }
  if (tools.length === 0 && toolChoice?.mode === 'required') {
    refusals.push(invalid('tool_choice', 'must not require a call where no tools are given'));
  }
}
