/**
 * Many clients of streams in one process, over raw sockets: `node stream-load.js PORT SECONDS SLOW PATH…`, a client for each path and
 * SLOW more of the first that take nothing. Writes one JSON text: for each sample that a client got, how long after its time stamp; and how
 * many clients were refused, by status.
 */
import net from 'node:net';
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval, setTimeout } from 'node:timers';

const [port, seconds, slow, ...paths] = process.argv.slice(2);
const delaysMs = [];
const clients = [];
let head = 0;

function open(path, isSlow) {
  const client = { ids: [], failures: 0, ended: 0 };
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  if (isSlow) {
    socket.pause();
    return;
  }
  clients.push(client);
  let text = '';
  let beginning = '';
  socket.setEncoding('latin1');
  socket.on('error', () => client.ended++);
  socket.on('end', () => client.ended++);
  socket.on('data', (chunk) => {
    const nowMs = performance.timeOrigin + performance.now();
    if (!beginning.includes('\r\n\r\n')) {
      beginning += chunk;
      if (/^HTTP\/1.1 (?!200)\d+ [^]*\r\n\r\n/.test(beginning)) {
        client.refusal = `${beginning.slice(9, 12)}${/\r\nretry-after: /i.test(beginning) ? '' : ' without Retry-After'}`;
        socket.destroy();
        return;
      }
    }
    text += chunk;
    for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
      const event = text.slice(0, at);
      text = text.slice(at + 2);
      if (event.includes('HTTP/1.1 ')) head += event.includes('HTTP/1.1 200') ? 1 : 0;
      const id = /(?:^|\n)id: (\d+\.\d+)/.exec(event)?.[1];
      if (id === undefined) {
        if (event.includes('event: failure')) client.failures++;
        continue;
      }
      client.ids.push(id);
      delaysMs.push(nowMs - Number(id) * 1000);
    }
  });
}

for (let i = 0; i < Number(slow); i++) open(paths[0], true);
let next = 0;
const opening = setInterval(() => {
  for (let i = 0; i < 20 && next < paths.length; i++) open(paths[next++], false);
  if (next < paths.length) return;
  clearInterval(opening);
  // What came while clients were still connecting is no measure.
  setTimeout(() => {
    const refusals = {};
    for (const { refusal } of clients) if (refusal !== undefined) refusals[refusal] = (refusals[refusal] ?? 0) + 1;
    clients.splice(0, clients.length, ...clients.filter(({ refusal }) => refusal === undefined));
    for (const client of clients) client.ids.length = 0;
    delaysMs.length = 0;
    process.stdout.write('begin\n');
    setTimeout(
      () => {
        const sorted = [...delaysMs].sort((a, b) => a - b);
        const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
        const doubled = clients.reduce((sum, { ids }) => sum + ids.length - new Set(ids).size, 0);
        // A sample a second: between the first and the last that a client got there is one for each.
        const lost = clients.reduce((sum, { ids }) => {
          const seconds = ids.map((id) => Math.round(Number(id)));
          return sum + (ids.length === 0 ? 1 : seconds.at(-1) - seconds[0] + 1 - new Set(ids).size);
        }, 0);
        const result = {
          connected: head,
          refusals,
          samples: delaysMs.length,
          doubled,
          lost,
          failures: clients.reduce((sum, { failures }) => sum + failures, 0),
          ended: clients.reduce((sum, { ended }) => sum + ended, 0),
          p50Ms: at(0.5),
          p99Ms: at(0.99),
        };
        process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
      },
      Number(seconds) * 1000,
    );
  }, 3000);
}, 50);
