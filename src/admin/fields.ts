// The fields that several resources share, as they are written and read on the wire.

import { z } from 'zod';

import { credentialKind, protocol, protocolAliases } from '../lib/vocabulary.ts';
import type { CredentialKind } from '../lib/vocabulary.ts';

/**
 * Shown in lists, logs and headers: no control characters, no half of a surrogate pair, no blanks at the ends. Nothing invisible
 * and nothing that changes the direction of what follows, by which one text passes for another (Unicode Technical Standard 39);
 * joiners and variation selectors may stand behind a character outside of ASCII, where scripts and emoji need them.
 */
export const shownText = (lengthMax: number) =>
  z
    .string()
    .min(1)
    .max(lengthMax)
    .regex(
      /^(?:[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|(?<=[^ -~])(?:\u200C|\u200D|\p{VS}))+$/u,
      'must not hold control characters or invisible ones',
    )
    .regex(/^\S(?:.*\S)?$/u, 'must not begin or end with a blank');

/** By which something is found: two that look the same are the same. */
export const namingText = (lengthMax: number) =>
  shownText(lengthMax).refine(
    (text) => text === text.normalize('NFC'),
    'must be in Unicode normal form C',
  );

export const nameField = namingText(200);
/** In a grant, `model/*` is every model: a model of that name would be granted with all others. */
export const modelNameField = nameField.refine((name) => !name.includes('*'), 'must not hold *');
export const descriptionField = shownText(2_000).nullable();

/**
 * A whole number in a path or a query: decimal digits alone, not whatever else a language reads as a number, and one way to write
 * each, because the audit log and If-Match go by what was written.
 */
export const wholeNumber = ({ from }: Readonly<{ from: 0 | 1 }>) =>
  z
    .string()
    .regex(
      /^(?:0|[1-9]\d{0,14})$/,
      'must be a whole number of at most 15 digits, without leading zeros',
    )
    .transform(Number)
    .pipe(z.int().min(from))
    .meta({ type: 'integer', pattern: undefined, minimum: from });

/** A path parameter. */
export const idIn = <Id extends z.ZodType<number, number>>(id: Id) =>
  z.strictObject({ id: wholeNumber({ from: 1 }).pipe(id) });

/** As it is answered. */
export const timestamp = z.iso.datetime({ offset: true });

const firstYear = Date.parse('0001-01-01T00:00:00Z');
const lastYearEnd = Date.parse('9999-12-31T23:59:59.999Z');
const isInCalendar = (text: string): boolean =>
  Date.parse(text) >= firstYear && Date.parse(text) <= lastYearEnd;

/** As it is given: taken over in UTC and milliseconds, on which the log, the database and every proxy agree. */
export const timestampField = timestamp
  .refine(isInCalendar, 'must be in the years 1 to 9999')
  .transform((text) => new Date(text).toISOString());

/** How many rows a list answers with; more than the most is the most. */
export const rowsMax = 1_000;
export const limitQuery = ({ standard }: Readonly<{ standard: number }>) =>
  wholeNumber({ from: 1 })
    .transform((rows) => Math.min(rows, rowsMax))
    .default(standard);

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
