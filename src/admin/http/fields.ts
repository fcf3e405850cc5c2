// Defines the fields that several resources share on the wire.

import { z } from 'zod';

import { credentialKind, protocol, protocolAliases } from '../../lib/vocabulary.ts';
import type { CredentialKind } from '../../lib/vocabulary.ts';

/**
 * A whole number in a path or query. Leading zeros are refused, so that each number has one
 * spelling: the audit log and If-Match compare the text.
 */
export const wholeNumber = ({
  from,
  to = 999_999_999_999_999,
}: Readonly<{ from: 0 | 1; to?: number }>) =>
  z
    .string()
    .regex(
      /^(?:0|[1-9]\d{0,14})$/,
      'must be a whole number of at most 15 digits, without leading zeros',
    )
    .transform(Number)
    .pipe(z.int().min(from).max(to))
    .meta({ type: 'integer', pattern: undefined, minimum: from, maximum: to });

export const idIn = <Id extends z.ZodType<number, number>>(id: Id) =>
  z.strictObject({ id: wholeNumber({ from: 1 }).pipe(id) });

/** Larger page sizes are lowered to this one. */
export const rowsMax = 1_000;
export const limitQuery = ({ standard }: Readonly<{ standard: number }>) =>
  wholeNumber({ from: 1 })
    .transform((rows) => Math.min(rows, rowsMax))
    .default(standard);

const aliasOf = (alias: string): CredentialKind | undefined =>
  alias === 'gcp_service_account' ? 'cloud_service_account' : undefined;

/** Also accepts the neutral names of the specification. */
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

export const deletedRecord = z.object({ id: z.int().positive() });
