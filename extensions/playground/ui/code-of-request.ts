// Writes a request as code for curl and the OpenAI clients for Python and TypeScript. The key is read from the environment, so copied code
// contains no secret.

type Message = Readonly<{ role: string; content: string }>;

export type CodeRequest = Readonly<{
  /** The address of the gateway, without `/v1`. */
  gateway: string;
  model: string;
  messages: readonly Message[];
  temperature: number | null;
  maxTokens: number | null;
}>;

export type Code = Readonly<{ label: 'curl' | 'Python' | 'TypeScript'; text: string }>;

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** JSON without null and booleans is also valid Python and TypeScript. */
const literal = (value: unknown): string => JSON.stringify(value);

export function codeOf(request: CodeRequest): readonly Code[] {
  const { gateway, model, messages, temperature, maxTokens } = request;
  const address = gateway.replace(/\/$/u, '');
  const parameters = {
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
  };
  const fields = Object.entries({ model, messages, ...parameters });
  return [
    {
      label: 'curl',
      text: [
        `curl ${shellQuoted(`${address}/v1/chat/completions`)} \\`,
        '  -H "authorization: Bearer $GW_API_KEY" \\',
        "  -H 'content-type: application/json' \\",
        `  -d ${shellQuoted(literal({ model, messages, ...parameters }))}`,
      ].join('\n'),
    },
    {
      label: 'Python',
      text: [
        'import os',
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url=${literal(`${address}/v1`)}, api_key=os.environ["GW_API_KEY"])`,
        'answer = client.chat.completions.create(',
        ...fields.map(([name, value]) => `    ${name}=${literal(value)},`),
        ')',
        'print(answer.choices[0].message.content)',
      ].join('\n'),
    },
    {
      label: 'TypeScript',
      text: [
        "import OpenAI from 'openai';",
        '',
        'const client = new OpenAI({',
        `  baseURL: ${literal(`${address}/v1`)},`,
        '  apiKey: process.env.GW_API_KEY,',
        '});',
        'const answer = await client.chat.completions.create({',
        ...fields.map(([name, value]) => `  ${name}: ${literal(value)},`),
        '});',
        'console.log(answer.choices[0]?.message.content);',
      ].join('\n'),
    },
  ];
}
