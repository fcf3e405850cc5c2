// Limits the numbers of a configuration from the admin API or a file. The limits are far above
// useful values: they catch typing errors and keep sums exact. Stored values are never checked
// against them.

import { z } from 'zod';

const whole = (max: number) => z.int().nonnegative().max(max);
const positive = (max: number) => z.int().positive().max(max);

const tokensMax = 1_000_000_000;

/** Tokens of one request, answer or context. */
export const tokensField = positive(tokensMax);
export const tokensOrNoneField = whole(tokensMax);

/** Relative to the other members of a pool. 0 drains a member. */
export const weightMax = 1_000_000;
export const weightField = whole(weightMax);

/** Concurrent requests at one backend. */
export const requestsField = positive(1_000_000);
export const requestsOrNoneField = whole(1_000_000);

export const perMinuteField = positive(1_000_000_000_000);

/** Tokens, or micro-units of money, of a budget window or a request. */
export const budgetField = positive(1_000_000_000_000_000);
export const spentField = whole(1_000_000_000_000_000);

/** Micro-units per million tokens. The maximum is 1,000 per token. */
export const priceField = whole(1_000_000_000_000_000);

/** One day, in seconds. */
export const secondsField = positive(86_400);
export const secondsOrNoneField = whole(86_400);

/** One year, in seconds. */
export const cacheSecondsField = positive(31_536_000);

/** The maximum number of parts of one entity. */
export const rulesMax = 500;
export const targetsMax = 100;
export const membersMax = 500;
