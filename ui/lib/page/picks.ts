// Reads and writes a picked list as the text of its field: one line per part, the weight after a tab.

import { lines, linesOf } from '../text/lines.ts';

export type Pick = Readonly<{ value: string; weight: string }>;

/** `note` names the kind, such as "pool". */
export type Option = Readonly<{ value: string; label: string; note?: string }>;

const weightStandard = '1';

export const readPicks = (text: string): readonly Pick[] =>
  linesOf(text).map((line) => {
    const [value = '', weight = weightStandard] = line.split('\t');
    return { value, weight };
  });

export const writePicks = (
  picks: readonly Pick[],
  { weighted }: Readonly<{ weighted: boolean }>,
): string =>
  lines(picks.map(({ value, weight }) => (weighted ? `${value}\t${weight.trim()}` : value)));

type Offered = Readonly<{ picks: readonly Pick[]; options: readonly Option[] }>;

export const optionsLeft = ({ picks, options }: Offered): readonly Option[] =>
  options.filter(({ value }) => !picks.some((one) => one.value === value));

/** Finds the typed option by label or value, or says why it is invalid. */
export function pickedOf(
  typed: string,
  { picks, options }: Offered,
): Readonly<{ picks: readonly Pick[] }> | Readonly<{ wrong: string }> {
  const named = options.filter(({ label, value }) => label === typed || value === typed);
  if (named.length === 0) return { wrong: `${typed} is not one of the options` };
  // Two options can have the same name, such as a model and a pool.
  const [found] = optionsLeft({ picks, options: named });
  if (found === undefined) return { wrong: `${typed} is already in the list` };
  return { picks: [...picks, { value: found.value, weight: weightStandard }] };
}
