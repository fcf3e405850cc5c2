// Defines the schemas of names, texts, times and endpoint parts, for the admin API and
// configuration files alike.

import { z } from 'zod';

import { isStorable, shortened } from './text.ts';

/**
 * Refuses control characters, unpaired surrogates, invisible characters and direction marks,
 * because they make different texts look the same (Unicode Technical Standard 39). Joiners and
 * variation selectors are allowed after non-ASCII characters, as scripts and emoji need them.
 */
export const shownCharacters =
  /^(?:[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|(?<=[^ -~])(?:\u200C|\u200D|\p{VS}))+$/u;

export const shownCharactersOrNone = new RegExp(`^$|${shownCharacters.source}`, 'u');

const shown = (text: z.ZodString, characters: RegExp) =>
  text
    .regex(characters, 'must not contain control characters or invisible characters')
    .regex(/^(?:\S(?:.*\S)?)?$/u, 'must not begin or end with a blank');

/** Text for lists, logs and headers: visible characters, without leading or trailing blanks. */
export const shownText = (lengthMax: number) =>
  shown(z.string().min(1).max(lengthMax), shownCharacters);

/** Names that look the same are the same. */
export const namingText = (lengthMax: number) =>
  shownText(lengthMax).refine(
    (text) => text === text.normalize('NFC'),
    'must be in Unicode normal form C',
  );

export const nameField = namingText(200);
/** `model/*` in a grant means every model, so no model may have that name. */
export const modelNameField = nameField.refine((name) => !name.includes('*'), 'must not contain *');
const descriptionLengthMax = 2_000;
export const descriptionText = shownText(descriptionLengthMax);
/** Null and empty text both mean no description. */
export const descriptionField = shown(z.string().max(descriptionLengthMax), shownCharactersOrNone)
  .transform((text) => (text === '' ? null : text))
  .nullable();
/** A path segment. Clients interpret one or two dots as a step in the path. */
export const roleNameField = nameField.refine(
  (name) => !/^\.{1,2}$/.test(name),
  'must not be . or ..',
);
export const resourceField = namingText(300);
export const upstreamModelField = shownText(500);
/** A deleted model, pool, role or class is accepted, so that records can be sent back. */
export const referenceField = z.string().min(1).max(200);
export const tagField = shownText(200);
export const ruleNameField = shownText(200);
export const denyMessageField = shownText(2_000);
export const denyStatusDefault = 403;

export const timestamp = z.iso.datetime({ offset: true });

const firstYear = Date.parse('0001-01-01T00:00:00Z');
const lastYearEnd = Date.parse('9999-12-31T23:59:59.999Z');
const isInCalendar = (text: string): boolean =>
  Date.parse(text) >= firstYear && Date.parse(text) <= lastYearEnd;

/** Converted to UTC with milliseconds, the precision of the log, the database and every proxy. */
export const timestampField = timestamp
  .refine(isInCalendar, 'must be in the years 1 to 9999')
  .transform((text) => new Date(text).toISOString());

/** A classifier reads the first 2,000 characters. Longer text is accepted up to this limit. */
const promptLengthMax = 8_000;
/** The default of a prompt class. */
export const minMarginDefault = 0.1;
export const promptField = z
  .string()
  .max(promptLengthMax)
  .regex(/\S/, 'must not be blank')
  .refine(isStorable, 'must be well-formed text without NUL');

/**
 * Shown in lists instead of an example's text. Stored in clear text, so it must not contain
 * personal data.
 */
export const exampleLabelField = shownText(100);
export const exampleField = z
  .union([promptField, z.strictObject({ prompt: promptField, label: exampleLabelField.nullish() })])
  .transform((given) =>
    typeof given === 'string'
      ? { prompt: given, label: null }
      : { prompt: given.prompt, label: given.label ?? null },
  );
export type ExampleInput = Readonly<z.output<typeof exampleField>>;

/** Part of a tool's qualified name, and a path segment. */
export const remoteNameField = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9_-]+$/, 'must contain only letters, digits, - and _');
export const remoteUrlField = z.string().min(1).max(2_000);

export const apiBaseField = z.string().min(1).max(2_000);
/** Fits the longest credential, a key file. */
export const credentialField = z.string().max(100_000);

/** A credential in a header for framing or connections would break the request. */
const reservedHeaders =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|expect|accept.*|cookie)$/i;

export const authHeaderField = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, 'must be a header name')
  .refine((name) => !reservedHeaders.test(name), 'is a header that cannot carry a credential');
/** An empty scheme sends the raw credential. */
export const authSchemeField = z
  .string()
  .max(100)
  .regex(/^[\w.~+/-]*$/, 'must be one word');

const headersMax = 20;
/** A token (RFC 9110, section 5.6.2). */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
/** Rules must not store these secret values. Use `principals` and `roles` to match callers. */
const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'cookie',
]);

export const headersField = z
  .record(
    z.string(),
    z.string().max(1_000).refine(isStorable, 'must be well-formed text without NUL'),
  )
  .superRefine((headers, context) => {
    const wrong = (name: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [shortened(name)], message });
    const seen = new Set<string>();
    for (const name of Object.keys(headers)) {
      const lower = name.toLowerCase();
      if (!token.test(name))
        wrong(name, `must be the name of a header, was ${JSON.stringify(shortened(name))}`);
      else if (secretHeaders.has(lower))
        wrong(name, 'contains a credential, so a rule cannot match it');
      else if (seen.has(lower)) wrong(name, 'is given twice');
      seen.add(lower);
    }
    if (seen.size > headersMax) {
      context.addIssue({ code: 'custom', message: `at most ${headersMax} headers are allowed` });
    }
  })
  .transform((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  );
