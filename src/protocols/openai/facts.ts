// Describes protocol `openai`, which clients of the chat API speak.

export const openai = {
  alias: null,
  auth: { auth_header: 'authorization', auth_scheme: 'Bearer' },
  modelList: { pathBelow: () => 'models', query: '', emptyShapes: ['data', 'null'] },
  requestHeaders: [],
  clientHeaders: [],
  servesMessages: false,
} as const;
