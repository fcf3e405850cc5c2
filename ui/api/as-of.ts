// Which GETs answer as the configuration stood at another moment. What is measured, and the log itself, are no configuration.

const configuration = [
  '/admin/a2a-agents',
  '/admin/budgets',
  '/admin/fallback-model',
  '/admin/frontend-models',
  '/admin/keys',
  '/admin/limits',
  '/admin/mcp-servers',
  '/admin/model-pools',
  '/admin/principals',
  '/admin/prompt-classes',
  '/admin/provider-models',
  '/admin/providers',
  '/admin/roles',
  '/admin/rules',
];

/** `path` is that of the route. */
export const takesAsOf = (path: string): boolean =>
  !path.endsWith('/available-models') &&
  configuration.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
