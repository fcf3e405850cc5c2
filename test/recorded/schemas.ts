// Defines the requests that each vendor documents (wire reference 1.2 to 1.4, 2.1, 3.2). An unknown
// member counts as refused.

import { z } from 'zod';

const text = z.string().min(1);
const jsonSchema = z.looseObject({ type: z.union([z.string(), z.array(z.string())]).optional() });

const cacheControl = z.strictObject({ type: z.literal('ephemeral') });
const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/),
  cache_control: cacheControl.optional(),
});
const imageSource = z.union([
  z.strictObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    data: text,
  }),
  z.strictObject({ type: z.literal('url'), url: z.url({ protocol: /^https$/ }) }),
]);
const documentSource = z.union([
  z.strictObject({
    type: z.literal('base64'),
    media_type: z.literal('application/pdf'),
    data: text,
  }),
  z.strictObject({
    type: z.literal('text'),
    media_type: z.literal('text/plain'),
    data: z.string(),
  }),
  z.strictObject({ type: z.literal('url'), url: z.url() }),
]);
const shownBlock = z.union([
  textBlock,
  z.strictObject({ type: z.literal('image'), source: imageSource }),
  z.strictObject({ type: z.literal('document'), source: documentSource, title: text.optional() }),
]);
const toolId = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const resultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: toolId,
  content: z.union([z.string(), z.array(shownBlock)]).optional(),
});
const useBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: toolId,
  name: text,
  input: z.record(z.string(), z.unknown()),
});
const single = { disable_parallel_tool_use: z.boolean().optional() };

const anthropic = z.strictObject({
  model: text,
  max_tokens: z.int().positive(),
  messages: z
    .array(
      z.union([
        z.strictObject({
          role: z.literal('user'),
          content: z.array(z.union([resultBlock, shownBlock])).min(1),
        }),
        z.strictObject({
          role: z.literal('assistant'),
          content: z.array(z.union([textBlock, useBlock])).min(1),
        }),
      ]),
    )
    .min(1),
  system: z.array(textBlock).min(1).optional(),
  stop_sequences: z.array(text).optional(),
  stream: z.literal(true).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().positive().optional(),
  tools: z
    .array(
      z.strictObject({
        name: text,
        description: text.optional(),
        strict: z.boolean().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
      }),
    )
    .optional(),
  tool_choice: z
    .union([
      z.strictObject({ type: z.enum(['auto', 'any']), ...single }),
      z.strictObject({ type: z.literal('tool'), name: text, ...single }),
      z.strictObject({ type: z.literal('none') }),
    ])
    .optional(),
  thinking: z
    .union([
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
      z.strictObject({ type: z.literal('adaptive') }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      format: z.strictObject({ type: z.literal('json_schema'), schema: jsonSchema }).optional(),
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
    })
    .optional(),
  metadata: z.strictObject({ user_id: text }).optional(),
});

const inlineData = z.strictObject({
  inlineData: z.strictObject({ mimeType: z.string().regex(/^\w+\/[\w.+-]+$/), data: text }),
});
const geminiName = z.string().regex(/^[a-zA-Z_][\w.:-]{0,127}$/);
const signature = { thoughtSignature: text.optional() };
const calledPart = z.strictObject({
  functionCall: z.strictObject({
    id: text.optional(),
    name: geminiName,
    args: z.record(z.string(), z.unknown()),
  }),
  ...signature,
});
const resultPart = z.strictObject({
  functionResponse: z.strictObject({
    id: text.optional(),
    name: geminiName,
    response: z.record(z.string(), z.unknown()),
    parts: z.array(inlineData).optional(),
  }),
});
const textPart = z.strictObject({ text, ...signature });

/** The keywords that the API lists for `parametersJsonSchema` and `responseJsonSchema`, and those of its own dialect. */
const geminiKeywords: ReadonlySet<string> = new Set(
  (
    '$id $defs $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf ' +
    'oneOf properties additionalProperties required propertyOrdering minLength maxLength pattern default'
  ).split(' '),
);
const geminiSchema: z.ZodType = z.lazy(() =>
  z
    .looseObject({
      properties: z.record(z.string(), geminiSchema).optional(),
      items: geminiSchema.optional(),
      anyOf: z.array(geminiSchema).optional(),
    })
    .refine((schema) => Object.keys(schema).every((keyword) => geminiKeywords.has(keyword))),
);

const gemini = z.strictObject({
  contents: z
    .array(
      z.union([
        z.strictObject({
          role: z.literal('user'),
          parts: z.array(z.union([textPart, inlineData, resultPart])).min(1),
        }),
        z.strictObject({
          role: z.literal('model'),
          parts: z.array(z.union([textPart, calledPart])).min(1),
        }),
      ]),
    )
    .min(1),
  systemInstruction: z.strictObject({ parts: z.array(textPart).min(1) }).optional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(
          z.strictObject({
            name: geminiName,
            description: text.optional(),
            parametersJsonSchema: geminiSchema.optional(),
          }),
        ),
      }),
    )
    .optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']),
        allowedFunctionNames: z.array(geminiName).optional(),
      }),
    })
    .optional(),
  generationConfig: z
    .strictObject({
      temperature: z.number().min(0).max(2).optional(),
      topP: z.number().min(0).max(1).optional(),
      topK: z.int().positive().optional(),
      maxOutputTokens: z.int().positive().optional(),
      stopSequences: z.array(text).min(1).optional(),
      presencePenalty: z.number().optional(),
      frequencyPenalty: z.number().optional(),
      responseMimeType: z.literal('application/json').optional(),
      responseJsonSchema: geminiSchema.optional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.boolean().optional(),
          thinkingBudget: z.int().min(-1).optional(),
          thinkingLevel: z.enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']).optional(),
        })
        .optional(),
    })
    .optional(),
});

const chatPart = z.union([
  z.strictObject({ type: z.literal('text'), text }),
  z.strictObject({ type: z.literal('image_url'), image_url: z.strictObject({ url: text }) }),
  z.strictObject({
    type: z.literal('file'),
    file: z.strictObject({ filename: text, file_data: z.string().regex(/^data:/) }),
  }),
]);

const openai = z.strictObject({
  model: text,
  messages: z
    .array(
      z.union([
        z.strictObject({ role: z.literal('system'), content: z.string() }),
        z.strictObject({
          role: z.literal('user'),
          content: z.union([z.string(), z.array(chatPart).min(1)]),
        }),
        z.strictObject({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          tool_calls: z
            .array(
              z.strictObject({
                id: text,
                type: z.literal('function'),
                function: z.strictObject({ name: text, arguments: z.string().startsWith('{') }),
              }),
            )
            .min(1)
            .optional(),
        }),
        z.strictObject({ role: z.literal('tool'), tool_call_id: text, content: z.string() }),
      ]),
    )
    .min(1),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().optional(),
  stop: z.array(text).min(1).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: text,
          description: z.string().optional(),
          parameters: jsonSchema,
          strict: z.literal(true).optional(),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({ name: text }),
      }),
    ])
    .optional(),
  parallel_tool_calls: z.literal(false).optional(),
  response_format: z
    .strictObject({
      type: z.literal('json_schema'),
      json_schema: z.strictObject({
        name: text,
        schema: jsonSchema,
        strict: z.literal(true).optional(),
      }),
    })
    .optional(),
  reasoning_effort: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  user: z.string().max(64).optional(),
  stream: z.literal(true).optional(),
  stream_options: z.strictObject({ include_usage: z.literal(true) }).optional(),
});

const requestSchemas = { anthropic, gemini, openai } as const;

/** Lists what a vendor would refuse in a request; empty if it accepts the request. */
export function wrongIn(protocol: keyof typeof requestSchemas, body: string): readonly string[] {
  const { error } = requestSchemas[protocol].safeParse(JSON.parse(body));
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}
