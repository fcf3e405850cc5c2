// Reads a JSON body: bounded in depth, with no key that could become a prototype, and nothing when there is nothing.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

const depthMax = 64;

/** Wrapped, so that a body can never be taken for a refusal. A client may announce JSON and send none: that is undefined. */
export function readJsonBody(text: string): Readonly<{ value: unknown }> | Refusal {
  if (text.trim() === '') return { value: undefined };
  if (depthOf(text) > depthMax) return refuse('invalid', `body: deeper than ${depthMax} levels`);
  try {
    return { value: JSON.parse(text, refusePrototypeKeys) };
  } catch {
    return refuse('invalid', 'body: not valid JSON');
  }
}

function refusePrototypeKeys(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a key that no field has');
  return value;
}

/** Counts brackets outside of strings. Not a parser: on malformed text the parser has the last word. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}
