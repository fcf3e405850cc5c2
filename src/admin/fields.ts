// The fields that several resources share, as they are written and read on the wire.

import { z } from 'zod';

import { credentialKind, protocol, protocolAliases } from '../lib/vocabulary.ts';
import type { CredentialKind } from '../lib/vocabulary.ts';

/** Shown in lists, logs and headers: no control characters, no half of a surrogate pair, no blanks at the ends. */
const shownText = (lengthMax: number) =>
  z
    .string()
    .min(1)
    .max(lengthMax)
    .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u, 'must not hold control characters')
    .regex(/^\S(?:.*\S)?$/u, 'must not begin or end with a blank');

export const nameField = shownText(200);
export const descriptionField = shownText(2_000).nullable();

/** A path parameter. */
export const idIn = <Id extends z.ZodType<number, number>>(id: Id) =>
  z.strictObject({ id: z.coerce.number<string>().int().positive().pipe(id) });

export const timestamp = z.iso.datetime({ offset: true });

/** How many rows a list answers with; more than the most is the most. */
const rowsMax = 1_000;
export const limitQuery = z.coerce
  .number<string>()
  .int()
  .min(1)
  .transform((rows) => Math.min(rows, rowsMax))
  .default(100);

const aliasOf = (alias: string): CredentialKind | undefined =>
  alias === 'gcp_service_account' ? 'cloud_service_account' : undefined;

/** Also by the specification's neutral names. */
export const protocolField = z
  .preprocess(
    (given) => (typeof given === 'string' ? (protocolAliases[given] ?? given) : given),
    protocol,
  )
  .meta({ type: 'string', enum: [...protocol.options, ...Object.keys(protocolAliases)] });

export const credentialKindField = z
  .preprocess(
    (given) => (typeof given === 'string' ? (aliasOf(given) ?? given) : given),
    credentialKind,
  )
  .meta({ type: 'string', enum: [...credentialKind.options, 'gcp_service_account'] });

/** What a deletion answers. */
export const deletedRecord = z.object({ id: z.int().positive() });
