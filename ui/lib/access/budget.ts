// Computes the usage of a budget and reads limits as they are typed.

type Tone = 'good' | 'warn' | 'bad';

type Budget = Readonly<{
  tokens_total: number | null;
  tokens_used: number | null;
  cost_total_micros: number | null;
  cost_used_micros: number | null;
  /** The caps now in force, with temporary increases. */
  tokens_total_now?: number | null;
  cost_total_micros_now?: number | null;
}>;

/** The caps that the usage is compared with. */
export const tokensCap = (budget: Pick<Budget, 'tokens_total' | 'tokens_total_now'>) =>
  budget.tokens_total_now ?? budget.tokens_total;
export const costCap = (budget: Pick<Budget, 'cost_total_micros' | 'cost_total_micros_now'>) =>
  budget.cost_total_micros_now ?? budget.cost_total_micros;

/** From 0 to 1; null if there is no limit or the usage is unknown. */
export const shareOf = (used: number | null, total: number | null): number | null =>
  used === null || total === null ? null : used / total;

const nearAt = 0.8;

export const toneOfShare = (share: number): Tone =>
  share >= 1 ? 'bad' : share >= nearAt ? 'warn' : 'good';

/** A limit that is almost reached is not shown as reached. */
export function shareText(share: number): string {
  if (share >= 1) return 'reached';
  if (share > 0 && share < 0.01) return '< 1 %';
  return `${Math.floor(share * 100)} %`;
}

export type Nearer = Readonly<{ cap: 'tokens' | 'money'; share: number }>;

/** Null without limits. */
export function nearerCap(budget: Budget): Nearer | null {
  const tokens = shareOf(budget.tokens_used, tokensCap(budget));
  const money = shareOf(budget.cost_used_micros, costCap(budget));
  if (money !== null && (tokens === null || money >= tokens)) return { cap: 'money', share: money };
  return tokens === null ? null : { cap: 'tokens', share: tokens };
}

/** Null for an empty field; undefined if not a whole number above zero. */
export function readCount(text: string): number | null | undefined {
  const plain = text.replaceAll(/[\s,_]/g, '');
  if (plain === '') return null;
  const count = /^\d+$/.test(plain) ? Number(plain) : 0;
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

const dollars = /^\$?(\d{1,10})(?:\.(\d{1,6}))?$/;

/** Exact micros of US dollars. Null for an empty field; undefined if invalid or not above zero. */
export function readMoney(text: string): number | null | undefined {
  const plain = text.replaceAll(/[\s,_]/g, '');
  if (plain === '') return null;
  const [, whole, fraction = ''] = dollars.exec(plain) ?? [];
  if (whole === undefined) return undefined;
  const micros = Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
  return micros > 0 && Number.isSafeInteger(micros) ? micros : undefined;
}

export function writeMoney(micros: number | null): string {
  if (micros === null) return '';
  const fraction = String(micros % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const whole = String(Math.floor(micros / 1_000_000));
  return fraction === '' ? whole : `${whole}.${fraction.padEnd(2, '0')}`;
}

export type CapState = 'reached' | 'near' | 'below' | 'none';

/** By the closest limit; `none` has no budget. */
export function capStateOf(budget: Budget | null): CapState {
  const nearer = budget === null ? null : nearerCap(budget);
  if (nearer === null) return 'none';
  return nearer.share >= 1 ? 'reached' : nearer.share >= nearAt ? 'near' : 'below';
}

export const capStates: readonly Readonly<{ value: CapState; label: string }>[] = [
  { value: 'reached', label: 'reached' },
  { value: 'near', label: 'above 80 %' },
  { value: 'below', label: 'below' },
  { value: 'none', label: 'rate limit only' },
];

type Refusals = Readonly<{ refused_rate_limit: number; refused_budget: number }>;

export const refusedByCaps = (points: readonly Refusals[]) => ({
  rate: points.reduce((sum, point) => sum + point.refused_rate_limit, 0),
  budget: points.reduce((sum, point) => sum + point.refused_budget, 0),
});
