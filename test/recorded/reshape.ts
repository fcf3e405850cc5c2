// Rewrites a recorded answer with unknown members, events and other spellings, as the vendor may
// send it in the future. The gateway's result must not change.

import { isObject } from '../../src/protocols/json.ts';
import type { Recording } from './recordings.ts';

/** Text written by the model, which the vendor does not change. */
const kept: ReadonlySet<string> = new Set(['input', 'args', 'arguments', 'usage', 'usageMetadata']);

/** Reverses the members and adds one to every object. */
function reshapedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reshapedValue);
  if (!isObject(value)) return value;
  const members = Object.entries(value).toReversed();
  const inside = members.map(([name, one]) => [name, kept.has(name) ? one : reshapedValue(one)]);
  return { x_tomorrow: { of: [null, 1] }, ...Object.fromEntries(inside) };
}

/** Null if the body is not JSON. */
export function reshaped({
  isStream,
  status,
  response,
}: Pick<Recording, 'isStream' | 'status' | 'response'>): Buffer | null {
  const text = response.toString();
  if (isStream && status < 400)
    return Buffer.from(
      `\ufeff${text
        .split(/\r?\n\r?\n/)
        .map(frameOf)
        .join('')}`,
    );
  const value = parsed(text);
  return value === undefined
    ? null
    : Buffer.from(` ${JSON.stringify(reshapedValue(value), null, 2)}\n`);
}

/**
 * Puts data before the event name, on several lines, without a space after the colon, with unknown
 * fields in between.
 */
function frameOf(frame: string, index: number): string {
  const lines = frame.split(/\r?\n/);
  const name = lines.find((line) => line.startsWith('event:'));
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
  const value = parsed(data.join('\n'));
  const end = index % 2 === 0 ? '\r\n' : '\n';
  if (value === undefined) return `${frame}\n\n`;
  const spread = JSON.stringify(reshapedValue(value), null, index % 3).split('\n');
  const told = [...spread.map((line) => `data:${line}`), ...(name === undefined ? [] : [name])];
  const unknown = ['event: tomorrow', 'data: {"type":"tomorrow","x":[{}]}', 'id: 7', 'retry: 10'];
  return [': a comment', '', ...unknown, '', ...told, '', ''].join(end);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
