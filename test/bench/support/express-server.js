/** express-server.js --port PORT: the least that a server of Express loads: what a start is compared with. */
import express from 'express';

express()
  .get('/pmapi/fetch', (_request, response) => response.json({ values: [] }))
  .listen(Number(process.argv.at(-1)), '127.0.0.1');
