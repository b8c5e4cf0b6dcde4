import http from 'node:http';
import { connect } from 'node:net';

/**
 * The least that a gateway on Node does for one client: bare node:http in front of a bare socket to the pmcd on PMCD_PORT. HELLO and FETCH
 * hold what to write to pmcd, in base64: once, and for each request. Any number of clients, one at a time.
 */
const hello = Buffer.from(process.env.HELLO ?? '', 'base64');
const fetch = Buffer.from(process.env.FETCH ?? '', 'base64');
const pmcd = connect({ host: '127.0.0.1', port: Number(process.env.PMCD_PORT), noDelay: true });
let answer;

pmcd.once('data', () => {
  pmcd.write(hello);
  pmcd.on('data', (result) => answer(result));
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
});
const server = http.createServer((req, res) => {
  answer = (result) => {
    // As many bytes as an answer of the gateway has; the values stay what they are, in binary.
    const body = `{"timestamp":${result.readInt32BE(16)},"values":"${'0'.repeat(200)}"}`;
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    res.end(body);
  };
  pmcd.write(fetch);
});
process.on('SIGTERM', () => process.exit(0));
