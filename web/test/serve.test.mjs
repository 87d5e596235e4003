// The local server: the files of its folder with their types, and nothing else, whatever is asked.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { serve } from '../serve.mjs';

let site;
before(async () => {
  site = await serve(process.env.WEB);
});
after(() => site.server.close());

/* Written by hand, since fetch would tidy the path. */
const ask = (path) =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(site.address).port), '127.0.0.1');
    socket.on('data', (data) => (answer += data)).on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });

const types = [
  ['/', 'text/html; charset=utf-8'],
  ['/page.js', 'text/javascript; charset=utf-8'],
  ['/style.css', 'text/css; charset=utf-8'],
  ['/uop.wasm', 'application/wasm'],
];
for (const [path, type] of types)
  test(`serves ${path} as ${type}`, async () => {
    const response = await fetch(site.address + path.slice(1));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), type);
    const policy = response.headers.get('content-security-policy');
    assert.match(
      policy,
      /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/,
    );
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:|\*/);
  });

for (const path of [
  '/../serve.mjs',
  '/%2e%2e/serve.mjs',
  '/..%2fserve.mjs',
  '//',
  '/none.js',
  '/%E0',
])
  test(`has no ${path}, and stays up`, async () => {
    const status = /^HTTP\/1.1 (\d+)/.exec(await ask(path))[1];
    assert.ok(path === '//' ? ['200', '404'].includes(status) : status === '404', status);
    assert.equal((await fetch(site.address)).status, 200);
  });
