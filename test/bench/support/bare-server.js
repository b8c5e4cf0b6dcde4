import { readFileSync } from 'node:fs';
import http from 'node:http';

/** The yardstick: bare node:http that answers the bytes of the file named in BODY_FILE, whatever it is asked. */
const body = readFileSync(process.env.BODY_FILE ?? '', 'utf8');
const server = http.createServer((req, res) => {
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
