import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { loadConfig } from '../../../src/config/index.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import { createLog } from '../../../src/log/log.js';
import { FakeClock } from '../../support/fake-clock.js';
import { PATIENT } from '../../support/patience.js';

it('a gateway records this machine, and has it still after a restart', async () => {
  const state = mkdtempSync(path.join(os.tmpdir(), 'pmgate-recording-'));
  const begin = async () => {
    const messages: string[] = [];
    const log = await createLog('info', new FakeClock(), {
      write: (line) => messages.push((JSON.parse(line) as { msg: string }).msg),
    });
    const environment = {
      ...PATIENT,
      PMGATE_LISTEN_PORT: '0',
      PMGATE_LOCAL_SOURCE: 'embedded',
      PMGATE_STATE_DIRECTORY: state,
      PMGATE_RECORD_ENABLED: 'true',
    };
    const gateway = await Gateway.create({ config: loadConfig({ environment }), log });
    const { port } = await gateway.listen();
    const ask = async (target: string) => (await fetch(`http://127.0.0.1:${port}${target}`)).text();
    return { gateway, messages, ask };
  };
  const first = await begin();
  while (!/"value":[1-9]/.test(await first.ask('/pmapi/fetch?names=pmgate.record.samples'))) await setImmediate();
  await first.gateway.close();
  const second = await begin();
  const { samples } = JSON.parse(
    await second.ask('/pmapi/fetch?archive=recorded&names=pmgate.version,mem.physmem&samples=1'),
  ) as { samples: { values: { name: string }[] }[] };
  expect(samples[0]!.values.map(({ name }) => name)).toEqual(['pmgate.version', 'mem.physmem']);
  expect(await second.ask('/archives')).toContain('"name":"recorded/');
  await second.gateway.close();
  expect(second.messages).not.toContain('cannot record');
});
