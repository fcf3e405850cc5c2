// Describes protocol `openai`, which needs no translation: clients of the chat API speak it.

export const openai = {
  alias: null,
  auth: { auth_header: 'authorization', auth_scheme: 'Bearer' },
  modelList: { pathBelow: () => 'models', query: '', emptyShapes: ['data', 'null'] },
  requestHeaders: [],
  clientHeaders: [],
  servesMessages: false,
} as const;
