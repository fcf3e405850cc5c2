// The providers, models and frontend models of the seeded company.

type SeedProvider = Readonly<{
  name: string;
  api_base: string;
  protocol: 'openai' | 'anthropic' | 'gemini';
  catalogue_key: string | null;
}>;

const vendor = (name: string, host: string, catalogue_key: string): SeedProvider => ({
  name,
  api_base: `https://${host}/v1`,
  protocol: name === 'Anthropic' ? 'anthropic' : 'openai',
  catalogue_key,
});

const engine = (name: string): SeedProvider => ({
  name,
  api_base: `https://${name}.inference.example/v1`,
  protocol: 'openai',
  catalogue_key: null,
});

export const providers: readonly SeedProvider[] = [
  vendor('OpenAI', 'api.openai.com', 'openai'),
  vendor('Anthropic', 'api.anthropic.com', 'anthropic'),
  vendor('Mistral', 'api.mistral.ai', 'mistral'),
  vendor('Groq', 'api.groq.com/openai', 'groq'),
  ...['vllm-eu-1', 'vllm-eu-2', 'vllm-us-1', 'vllm-us-2', 'sglang-lab', 'llama-edge'].map(engine),
  engine('embeddings'),
  engine('speech'),
];

const families = ['gpt', 'claude', 'mistral', 'llama', 'qwen', 'gemma', 'phi', 'deepseek'];
const sizes = ['nano', 'small', 'medium', 'large', '8b', '32b', '70b', 'coder'];

/** Every seventh model has no price. */
export const models = Array.from({ length: 60 }, (_, index) => ({
  name: `${families[index % families.length]}-${sizes[Math.floor(index / families.length)]}`,
  provider: index % providers.length,
  context_length: [8_192, 32_768, 131_072, 200_000][index % 4] ?? null,
  ...(index % 7 === 0
    ? {}
    : {
        input_price_per_mtok: 50_000 * (1 + (index % 12)),
        output_price_per_mtok: 200_000 * (1 + (index % 12)),
      }),
}));

const uses = ['chat', 'summary', 'search', 'code', 'support', 'translate', 'extract', 'embed'];

export const frontendModels = Array.from({ length: 15 }, (_, index) => {
  const use = uses[index % uses.length] ?? 'chat';
  const name = index < uses.length ? use : `${use}-next`;
  const target = (at: number): string => models[(index * 4 + at) % models.length]?.name ?? '';
  return {
    name,
    description: `What ${name} asks for`,
    default_targets: [target(0), target(1)],
    rules: [
      {
        action: 'route',
        min_prompt_tokens: 8_000,
        targets: [{ model: target(2) }],
      },
      { action: 'route', stream: true, targets: [{ model: target(3) }] },
    ],
  };
});
