// Runs nginx as a candidate: one process of the installed program, configured as a proxy for model servers, with
// persistent connections and unbuffered streams.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the program, or null after reporting the reason to `say`. */
export const findNginx = (say: (line: string) => void): string | null =>
  findProgram('nginx', 'GW_BENCH_NGINX', say);

/** `variable` names the file if the program is not on the PATH. */
export function findProgram(
  name: string,
  variable: string,
  say: (line: string) => void,
): string | null {
  for (const place of [process.env[variable], name, `/usr/sbin/${name}`]) {
    if (place === undefined) continue;
    try {
      execFileSync(place, ['-v'], { stdio: 'ignore' });
      return place;
    } catch {
      // The next one.
    }
  }
  say(`${name} is left out: it is not installed (${variable} may name its file)`);
  return null;
}

/** Writes the configuration and returns the arguments for it. */
export function nginxArguments(
  directory: string,
  { port, upstreamPort }: Readonly<{ port: number; upstreamPort: number }>,
): readonly string[] {
  const home = join(directory, 'nginx');
  mkdirSync(home);
  const file = join(home, 'nginx.conf');
  writeFileSync(file, configuration(port, upstreamPort));
  return ['-e', 'stderr', '-p', home, '-c', file];
}

/** The last line that nginx logs before it serves. */
export const nginxReady = /getrlimit\(RLIMIT_NOFILE\)/;

const configuration = (port: number, upstreamPort: number): string => `
daemon off;
master_process off;
error_log stderr notice;
pid nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  tcp_nodelay on;
  client_body_buffer_size 128k;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_requests 1000000000;
  upstream models {
    server 127.0.0.1:${upstreamPort};
    keepalive 512;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://models;
      proxy_http_version 1.1;
      proxy_set_header connection "";
      proxy_buffering off;
    }
  }
}
`;
