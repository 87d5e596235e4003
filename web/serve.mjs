// Serves one folder on 127.0.0.1: `node web/serve.mjs FOLDER [PORT]` prints the address. Only files
// that lie directly in the folder are served, whatever the address asks for; nothing is listed or
// written.
import { createServer } from 'node:http';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

/* The page's own policy as a header too: a worker goes by its own answer's headers. */
function policyOf(folder) {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  return /Content-Security-Policy"\s+content="([^"]+)"/.exec(html)[1].replace(/\s+/g, ' ');
}

function nameOf(url) {
  try {
    return new URL(url, 'http://localhost').pathname.slice(1) || 'index.html';
  } catch {
    return ''; // no address at all
  }
}

export function serve(folder, port = 0) {
  const policy = policyOf(folder);
  const server = createServer((request, response) => {
    const name = nameOf(request.url);
    if (!readdirSync(folder).includes(name) || !types[extname(name)])
      return response.writeHead(404, { 'Content-Type': 'text/plain' }).end('not found\n');
    response.writeHead(200, {
      'Content-Type': types[extname(name)],
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    });
    response.end(request.method === 'HEAD' ? undefined : readFileSync(join(folder, name)));
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () =>
      resolve({ server, address: `http://127.0.0.1:${server.address().port}/` }),
    );
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, port] = process.argv.slice(2);
  if (!folder || !existsSync(join(folder, 'index.html'))) {
    console.error('usage: node web/serve.mjs FOLDER [PORT], of a page that make web built');
    process.exit(2);
  }
  serve(folder, Number(port ?? 0)).then(
    ({ address }) => console.log(`The playground is at ${address} (Ctrl-C ends it)`),
    (error) => {
      console.error(`cannot serve: ${error.message}`);
      process.exit(1);
    },
  );
}
