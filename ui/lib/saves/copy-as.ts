// Writes a request of the UI as a curl command and, where possible, as a configuration file.

import { modelFields } from '../../../src/fields/model.ts';

type Request = Readonly<{
  method: string;
  /** From the root of the admin API. */
  path: string;
  body?: unknown;
  /** For If-Match. */
  version?: number | undefined;
  reason?: string;
}>;

/** Replaced by shell variables. */
const secrets: Readonly<Record<string, string>> = {
  upstream_api_key: 'UPSTREAM_API_KEY',
  password: 'PASSWORD',
};

/** Single quotes preserve every character. */
const quoted = (text: string): string =>
  /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Replaces `"name":"content"` of a secret at any depth by a shell variable outside of the quotes. */
function quotedBody(body: object): string {
  const masked = JSON.stringify(body, (name, value: unknown) => {
    const variable = secrets[name];
    return variable === undefined || typeof value !== 'string' ? value : `\0${variable}\0`;
  });
  return quoted(masked).replaceAll(/\\u0000([A-Z_]+)\\u0000/g, `'"$$$1"'`);
}

/** Explains how to get `$GW_SESSION`, as a command with placeholders for name and password. */
export function sessionNote(origin: string): string {
  const sent = `-H content-type:application/json -d '{"name":"…","password":"…"}'`;
  const login = `curl -s -o /dev/null -c - ${quoted(`${origin}/login`)} ${sent}`;
  const cookie = `awk '$6 == "gw_session" { print $7 }'`;
  return `# GW_SESSION is the cookie that a login gives:\n#   GW_SESSION=$(${login} | ${cookie})\n`;
}

/** The user sets the session cookie. */
export function curlCommand(
  { method, path, body, version, reason = '' }: Request,
  origin: string,
): string {
  const headers = [
    ...(version === undefined ? [] : [`if-match: "${version}"`]),
    ...(reason === '' ? [] : [`x-gw-reason: ${reason}`]),
    ...(body === undefined ? [] : ['content-type: application/json']),
  ];
  return [
    `curl -X ${method} ${quoted(`${origin}${path}`)} -b "gw_session=$GW_SESSION"`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...(typeof body === 'object' && body !== null ? [`-d ${quotedBody(body)}`] : []),
  ].join(' \\\n  ');
}

/** By API path, with the fields that records and files share. */
const lists: Readonly<Record<string, Readonly<{ list: string; fields: readonly string[] }>>> = {
  '/admin/roles': { list: 'roles', fields: ['name', 'description'] },
  '/admin/principals': { list: 'principals', fields: ['name', 'kind'] },
  '/admin/provider-models': {
    list: 'models',
    fields: ['name', 'description', ...Object.keys(modelFields)],
  },
  '/admin/model-pools': { list: 'pools', fields: ['name', 'description', 'policy'] },
  '/admin/frontend-models': {
    list: 'frontend_models',
    fields: ['name', 'description', 'max_model_len'],
  },
  '/admin/prompt-classes': {
    list: 'prompt_classes',
    fields: ['name', 'description', 'tier', 'min_margin'],
  },
};

const isSet = ([, value]: readonly [string, unknown]): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** Null if a file cannot express the record. */
export function yamlOf({ method, path, body }: Request): string | null {
  const made = method === 'POST' ? lists[path] : undefined;
  if (made === undefined) return null;
  const given = Object.entries(Object(body)).filter(isSet);
  if (given.some(([name]) => !made.fields.includes(name))) return null;
  // JSON is valid YAML.
  const lines = given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ['gw:', `  ${made.list}:`, `    - ${lines.join('\n      ')}`, ''].join('\n');
}

/** A `gw import` command, if a file can express the record. */
export function gwCommand(request: Request): string | null {
  const yaml = yamlOf(request);
  return yaml === null
    ? null
    : `cat > change.yaml <<'YAML'\n${yaml}YAML\ngw import --config change.yaml`;
}

/** One line, for empty states. */
export const adminCurl = ({
  origin,
  method = 'POST',
  path,
  body,
}: Readonly<{
  origin: string;
  method?: 'POST' | 'PUT';
  path: string;
  body: Readonly<Record<string, unknown>>;
}>): string => curlCommand({ method, path, body }, origin).replaceAll(' \\\n  ', ' ');
