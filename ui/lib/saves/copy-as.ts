// The same by other means: what a screen does, as a call of the admin API, and as a piece of a configuration file where that can say it.

import { modelFields } from '../../../src/fields/model.ts';

type Request = Readonly<{
  method: string;
  /** From the root of the admin API. */
  path: string;
  body?: unknown;
  /** What If-Match takes. */
  version?: number | undefined;
  reason?: string;
}>;

/** Fields whose content goes into no text that is copied. A variable of the shell stands for it. */
const secrets: Readonly<Record<string, string>> = {
  upstream_api_key: 'UPSTREAM_API_KEY',
  password: 'PASSWORD',
};

/** In single quotes, which nothing in it ends, unless it is plain. */
const quoted = (text: string): string =>
  /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** `"name":"content"` of a secret, however deep, becomes the variable's content, which the shell puts in by leaving the quotes. */
function quotedBody(body: object): string {
  const masked = JSON.stringify(body, (name, value: unknown) => {
    const variable = secrets[name];
    return variable === undefined || typeof value !== 'string' ? value : `\0${variable}\0`;
  });
  return quoted(masked).replaceAll(/\\u0000([A-Z_]+)\\u0000/g, `'"$$$1"'`);
}

/** Comments of a shell that say where `$GW_SESSION` of the calls here comes from, as a command with the reader's own name and password. */
export function sessionNote(origin: string): string {
  const sent = `-H content-type:application/json -d '{"name":"…","password":"…"}'`;
  const login = `curl -s -o /dev/null -c - ${quoted(`${origin}/login`)} ${sent}`;
  const cookie = `awk '$6 == "gw_session" { print $7 }'`;
  return `# GW_SESSION is the cookie that a login gives:\n#   GW_SESSION=$(${login} | ${cookie})\n`;
}

/** A call by curl. The session's cookie is the reader's own to fill in. */
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

/** The lists of the service block of a configuration file, by the paths that make their records, with the fields that both have. */
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

const isSaid = ([, value]: readonly [string, unknown]): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** The record as a configuration file has it; null where it cannot say all of it. */
export function yamlOf({ method, path, body }: Request): string | null {
  const made = method === 'POST' ? lists[path] : undefined;
  if (made === undefined) return null;
  const said = Object.entries(Object(body)).filter(isSaid);
  if (said.some(([name]) => !made.fields.includes(name))) return null;
  // What JSON writes, YAML reads.
  const lines = said.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ['gw:', `  ${made.list}:`, `    - ${lines.join('\n      ')}`, ''].join('\n');
}

/** The same by the program's own command, where a file can say it. */
export function gwCommand(request: Request): string | null {
  const yaml = yamlOf(request);
  return yaml === null
    ? null
    : `cat > change.yaml <<'YAML'\n${yaml}YAML\ngw import --config change.yaml`;
}

/** In one line, for where there is nothing yet. */
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
