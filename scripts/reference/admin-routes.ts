// The page of the admin routes. Their bodies and answers are in /openapi.json.

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
      'What the admin listener answers, and the permission that it takes. `open` takes none,',
      '`session` a login, `proxy_token` the token of the proxies, `api_key` the key of a',
      'principal. Bodies, answers, refusals and examples are in `/openapi.json`, and readable',
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
