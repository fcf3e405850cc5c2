// Reads the form of a temporary increase of a budget.

import { momentOf } from './key-draft.ts';
import { whenRead, wrong } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';
import { count, formOf, text } from '../saves/typed.ts';
import type { Zone } from '../text/format.ts';
import { money } from './limits-draft.ts';

/** Times are values of `datetime-local`, in the chosen zone. */
const form = formOf({
  cost_micros: { ...money, must: 'must be an amount in US dollars such as 250 or 12.50, or empty' },
  tokens: count,
  reason: text,
  starts_at: text,
  ends_at: text,
});
export const blankIncrease = form.blank;
export type IncreaseDraft = typeof blankIncrease;

export type IncreaseBody = Readonly<{
  cost_micros: number | null;
  tokens: number | null;
  reason: string;
  starts_at?: string;
  ends_at: string;
}>;

export const readIncrease = (draft: IncreaseDraft, zone: Zone): Read<IncreaseBody> =>
  whenRead(
    form.read(draft),
    ({ cost_micros, tokens, reason, starts_at: start, ends_at: end }): Read<IncreaseBody> => {
      if (cost_micros === null && tokens === null) {
        return wrong('cost_micros', 'enter an amount of money or tokens');
      }
      if (reason === null) return wrong('reason', 'is required');
      if (end === null) return wrong('ends_at', 'is required');
      const starts = start === null ? {} : { starts_at: momentOf(start, zone) };
      return { body: { cost_micros, tokens, reason, ...starts, ends_at: momentOf(end, zone) } };
    },
  );
