// Groups records with equal differences, such as a budget that 19 principals received.

import { fieldLabel } from '../text/field-label.ts';
import { kindLabel } from './history.ts';

type Difference = Readonly<{
  kind: string;
  change: 'created' | 'changed' | 'deleted';
  fields: readonly Readonly<{ field: string }>[];
}>;

export type Group<One> = Readonly<{ key: string; members: readonly One[] }>;

/** Smaller groups are listed record by record. */
const groupMin = 4;
const fieldsNamed = 3;

/** In the order of their first members. A record with unique differences forms its own group. */
export function groupsOf<One extends Difference>(
  differences: readonly One[],
): readonly Group<One>[] {
  const alike = Map.groupBy(differences, keyOf);
  const done = new Set<string>();
  return differences.flatMap((one, at): readonly Group<One>[] => {
    const key = keyOf(one);
    const members = alike.get(key) ?? [];
    if (members.length < groupMin) return [{ key: `${at}`, members: [one] }];
    if (done.has(key)) return [];
    done.add(key);
    return [{ key, members }];
  });
}

const keyOf = ({ kind, change, fields }: Difference): string =>
  [kind, change, ...fields.map(({ field }) => field).toSorted()].join(' ');

/** "19 principals: Budget · Cost cap changed". */
export function groupTitle({ members }: Group<Difference>): string {
  const [first] = members;
  if (first === undefined) return '';
  const what = `${members.length} ${pluralOf(kindLabel(first.kind))}`;
  if (first.change !== 'changed') return `${what} ${first.change}`;
  const labels = first.fields.map(({ field }) => fieldLabel(field));
  const rest = labels.length - fieldsNamed;
  const named = labels.slice(0, fieldsNamed).join(', ');
  return `${what}: ${named}${rest > 0 ? ` and ${rest} more fields` : ''} changed`;
}

function pluralOf(label: string): string {
  const word = /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
  return word.endsWith('s') ? `${word}es` : `${word}s`;
}
