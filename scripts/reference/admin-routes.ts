// Builds the page of the admin routes. /openapi.json has their bodies and answers.

import { adminRoutes } from '../../src/admin/routes.ts';
import type { Route } from '../../src/admin/http/route.ts';
import { tagOf } from '../../src/admin/openapi/openapi-tags.ts';
import { code, generated, page, table } from './markdown.ts';

export function adminRoutesPage(): string {
  const groups = Map.groupBy(adminRoutes, (route) => tagOf(route));
  return page([
    '# Admin routes',
    generated,
    [
      'The routes of the admin listener, and the permission that each needs. `open` needs none,',
      '`session` a login, `proxy_token` the token of the proxies, `api_key` the key of a',
      'principal. Bodies, answers, errors and examples are in `/openapi.json`, and readable',
      'at `/docs`.',
    ].join('\n'),
    ...[...groups].flatMap(([tag, routes]) => [`## ${tag}`, routesTable(routes)]),
  ]);
}

const routesTable = (routes: readonly Route[]): string =>
  table(
    ['method', 'path', 'permission', 'what it does'],
    routes.map(({ method, path, permission, summary }) => [
      method,
      code(path),
      permission,
      summary,
    ]),
  );
