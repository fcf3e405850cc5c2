// Forecasts when a budget will be used up, from its average use since the window started.

import { formatDuration, formatShare } from '../text/format.ts';
import { costCap, shareOf, tokensCap } from './budget.ts';

type Budget = Readonly<{
  tokens_total: number | null;
  tokens_used: number | null;
  tokens_total_now?: number | null;
  cost_total_micros: number | null;
  cost_used_micros: number | null;
  cost_total_micros_now?: number | null;
  window_start: string | null;
  window_end: string | null;
}>;

export type Forecast = Readonly<{
  cap: 'money' | 'tokens';
  /** The share of the cap that is used at the end of the window. */
  share: number;
  /** Epoch milliseconds; null if the budget lasts until the end of the window. */
  usedUpAt: number | null;
  /** The time that the rate was measured over, in milliseconds. */
  basisMs: number;
}>;

/** A shorter time than this share of the window says little about the rest of it. */
const basisShareMin = 0.05;

/** Uses the cap that is used up first. Null without a cap or a window, and if it is too early to tell. */
export function forecastOf(budget: Budget, now: number): Forecast | null {
  const { window_start: start, window_end: end } = budget;
  if (start === null || end === null) return null;
  const basisMs = now - Date.parse(start);
  const windowMs = Date.parse(end) - Date.parse(start);
  if (now >= Date.parse(end) || basisMs < windowMs * basisShareMin) return null;
  const rate = { now, basisMs, windowMs };
  const forecasts = [
    ofCap('money', shareOf(budget.cost_used_micros, costCap(budget)), rate),
    ofCap('tokens', shareOf(budget.tokens_used, tokensCap(budget)), rate),
  ].filter((one) => one !== null);
  return forecasts.toSorted((one, other) => other.share - one.share)[0] ?? null;
}

type Rate = Readonly<{ now: number; basisMs: number; windowMs: number }>;

function ofCap(
  cap: Forecast['cap'],
  used: number | null,
  { now, basisMs, windowMs }: Rate,
): Forecast | null {
  if (used === null) return null;
  const share = (used * windowMs) / basisMs;
  const leftMs = share < 1 ? null : Math.max(0, (basisMs * (1 - used)) / used);
  return { cap, share, usedUpAt: leftMs === null ? null : now + leftMs, basisMs };
}

/** "used up in 4 d", "62 % at the end". */
export function forecastText({ share, usedUpAt }: Forecast, now: number): string {
  if (usedUpAt === null) return `${formatShare(Math.min(share, 0.999), 1)} at the end`;
  return usedUpAt <= now ? 'used up' : `used up in ${formatDuration(usedUpAt - now)}`;
}

export const basisText = ({ basisMs }: Forecast): string =>
  `At the average rate of the last ${formatDuration(basisMs)}, since the window started`;
