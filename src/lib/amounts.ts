// How large the numbers of a configuration may be, as a person writes them: by the admin API or in a configuration file. The bounds lie
// far above what is of use, so that a slip of the hand is met and sums stay exact. What stands already is read whatever it is.

import { z } from 'zod';

const whole = (max: number) => z.int().nonnegative().max(max);
const positive = (max: number) => z.int().positive().max(max);

const tokensMax = 1_000_000_000;

/** Of one request, one answer or one context. */
export const tokensField = positive(tokensMax);
export const tokensOrNoneField = whole(tokensMax);

/** The share of a member of a pool relative to the other members; 0 drains it. */
export const weightMax = 1_000_000;
export const weightField = whole(weightMax);

/** Requests at one backend at once. */
export const requestsField = positive(1_000_000);
export const requestsOrNoneField = whole(1_000_000);

export const perMinuteField = positive(1_000_000_000_000);

/** Tokens, or micro-units of money, of a window of a budget or of one request. */
export const budgetField = positive(1_000_000_000_000_000);
export const spentField = whole(1_000_000_000_000_000);

/** Micro-units per million tokens; the highest is 1,000 a token. */
export const priceField = whole(1_000_000_000_000_000);

/** A day, in seconds. */
export const secondsField = positive(86_400);
export const secondsOrNoneField = whole(86_400);

/** A year, in seconds. */
export const cacheSecondsField = positive(31_536_000);

/** How many parts one entity may have. */
export const rulesMax = 500;
export const targetsMax = 100;
export const membersMax = 500;
