// Describes protocol `anthropic` (native_a of the specification). The base URL may include the
// version.

export const anthropic = {
  alias: 'native_a',
  auth: { auth_header: 'x-api-key', auth_scheme: null },
  modelList: {
    pathBelow: (basePath: string) => (/\/v1\/*$/.test(basePath) ? 'models' : 'v1/models'),
    query: '?limit=1000',
    emptyShapes: ['data'],
  },
  requestHeaders: ['anthropic-version', '2023-06-01'],
  clientHeaders: ['anthropic-beta'],
  servesMessages: true,
} as const;
