// Describes protocol `gemini` (native_b of the specification).

export const gemini = {
  alias: 'native_b',
  auth: { auth_header: 'x-goog-api-key', auth_scheme: null },
  modelList: { pathBelow: () => 'models', query: '?pageSize=1000', emptyShapes: ['models'] },
  requestHeaders: [],
  clientHeaders: [],
  servesMessages: false,
} as const;
