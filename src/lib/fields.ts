// What names, texts, times and parts of an endpoint may be: one rule for each, whether a person writes it through the admin API or a
// configuration file is read.

import { z } from 'zod';

import { isStorable, shortened } from './text.ts';

/**
 * Characters that people can see. Control characters, unpaired surrogates, invisible characters and those that change the direction
 * of the text are refused, because they make two different texts look the same (Unicode Technical Standard 39). Joiners and variation
 * selectors are allowed after a character outside of ASCII, where scripts and emoji need them.
 */
export const shownCharacters =
  /^(?:[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|(?<=[^ -~])(?:\u200C|\u200D|\p{VS}))+$/u;

export const shownCharactersOrNone = new RegExp(`^$|${shownCharacters.source}`, 'u');

const shown = (text: z.ZodString, characters: RegExp) =>
  text
    .regex(characters, 'must not contain control characters or invisible characters')
    .regex(/^(?:\S(?:.*\S)?)?$/u, 'must not begin or end with a blank');

/** A text that lists, logs and headers show: of such characters alone, without blanks at its ends. */
export const shownText = (lengthMax: number) =>
  shown(z.string().min(1).max(lengthMax), shownCharacters);

/** By which something is found: two that look the same are the same. */
export const namingText = (lengthMax: number) =>
  shownText(lengthMax).refine(
    (text) => text === text.normalize('NFC'),
    'must be in Unicode normal form C',
  );

export const nameField = namingText(200);
/** In a grant, `model/*` is every model: a model of that name would be granted with all others. */
export const modelNameField = nameField.refine((name) => !name.includes('*'), 'must not hold *');
const descriptionLengthMax = 2_000;
export const descriptionText = shownText(descriptionLengthMax);
/** Null and the empty text both mean that there is no description. */
export const descriptionField = shown(z.string().max(descriptionLengthMax), shownCharactersOrNone)
  .transform((text) => (text === '' ? null : text))
  .nullable();
/** A part of a path: a client takes a dot or two for a step in it. */
export const roleNameField = nameField.refine(
  (name) => !/^\.{1,2}$/.test(name),
  'must not be . or ..',
);
export const resourceField = namingText(300);
export const upstreamModelField = shownText(500);
/** How a request names a model, pool, role or class. What is listed as gone may be sent back, too. */
export const referenceField = z.string().min(1).max(200);
export const tagField = shownText(200);
export const ruleNameField = shownText(200);
export const denyMessageField = shownText(2_000);
/** Of a rule that denies and says no status of its own. */
export const denyStatusDefault = 403;

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

/** A classifier reads the first 2,000 characters; a few times as many may be given. */
const promptLengthMax = 8_000;
/** Of a prompt class that is given none. */
export const minMarginDefault = 0.1;
export const promptField = z
  .string()
  .max(promptLengthMax)
  .regex(/\S/, 'must not be blank')
  .refine(isStorable, 'must be well-formed text without NUL');

/** Lists show it in place of the text of an example. It is stored in clear, so it must not be personal data. */
export const exampleLabelField = shownText(100);
/** An example is its prompt alone, or its prompt with a label. */
export const exampleField = z
  .union([promptField, z.strictObject({ prompt: promptField, label: exampleLabelField.nullish() })])
  .transform((given) =>
    typeof given === 'string'
      ? { prompt: given, label: null }
      : { prompt: given.prompt, label: given.label ?? null },
  );
export type ExampleInput = Readonly<z.output<typeof exampleField>>;

/** Of an MCP server or A2A agent: half of a tool's qualified name, and a part of a path. */
export const remoteNameField = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, - and _ alone');
export const remoteUrlField = z.string().min(1).max(2_000);

/** An address that is longer is none. */
export const apiBaseField = z.string().min(1).max(2_000);
/** A key file is the longest of them. */
export const credentialField = z.string().max(100_000);

/** Headers that frame a message or belong to the connection; a credential there would break the request. */
const reservedHeaders =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|expect|accept.*|cookie)$/i;

export const authHeaderField = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, 'must be a header name')
  .refine((name) => !reservedHeaders.test(name), 'is a header that cannot carry a credential');
/** Empty sends the credential raw. */
export const authSchemeField = z
  .string()
  .max(100)
  .regex(/^[\w.~+/-]*$/, 'must be one word');

const headersMax = 20;
/** A token (RFC 9110, section 5.6.2). */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
/** Their values are secrets, which no rule may hold: `principals` and `roles` say who is calling. */
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
      else if (secretHeaders.has(lower)) wrong(name, 'holds a credential, no rule can ask for it');
      else if (seen.has(lower)) wrong(name, 'is given twice');
      seen.add(lower);
    }
    if (seen.size > headersMax) {
      context.addIssue({ code: 'custom', message: `at most ${headersMax} may be` });
    }
  })
  .transform((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  );
