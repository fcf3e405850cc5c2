// Implements `as_of`: reads the configuration at a snapshot version, a log position or a time. Data
// outside the log, such as leases and spending, is null for the past.

import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import { momentField } from '../../control/history/moment.ts';
import type { Moment } from '../../control/history/moment.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Call, Handled, Route } from './route.ts';

const parameter = 'as_of';

/** Reads the present if absent. */
export const asOf = { [parameter]: momentField.optional() } as const;
export const asOfQuery = z.strictObject(asOf);

export const readsPast = ({ query }: Pick<Route, 'query'>): boolean =>
  query instanceof z.ZodObject && parameter in query.shape;

export type AskedMoment = Readonly<{ as_of?: Moment | undefined }>;

/** Null is the present. A moment outside the log is refused as absent. */
export const pastState = async (
  { config }: Pick<Call, 'config'>,
  { as_of: moment }: AskedMoment,
): Promise<ConfigState | Refusal | null> =>
  moment === undefined ? null : config.past.at(moment, parameter);

/** The log position, and the version of the entity there. */
export const pastHeaders = (
  { entity }: Pick<Call, 'entity'>,
  state: ConfigState,
): Readonly<Record<string, string>> => ({
  'x-gw-log-position': String(state.position),
  ...entity.etag(state),
});

type Reading<Body> = Readonly<{
  now: () => Promise<Body | Refusal>;
  past: (state: ConfigState) => Body | Refusal;
}>;

export async function answerRecord<Body>(
  call: Call,
  asked: AskedMoment,
  { now, past }: Reading<Body>,
): Promise<Handled<Body>> {
  const state = await pastState(call, asked);
  if (isRefusal(state)) return state;
  const body = state === null ? await now() : past(state);
  if (isRefusal(body)) return body;
  return state === null ? { body } : { headers: pastHeaders(call, state), body };
}
