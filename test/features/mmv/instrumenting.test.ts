import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Semantics, systemClock } from '../../../src/pmapi/index.js';
import { MmvAgent } from '../../../src/features/mmv/mmv-agent.js';
import { fencesOf } from '../../support/guide.js';
import { MmvFixture } from './support/mmv-fixture.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const PAGE = readFileSync('src/features/mmv/INSTRUMENTING.md', 'utf8');

describe('the programs of the guide', () => {
  const directory = temporaryDirectory().path;
  const files = path.join(directory, 'mmv');
  const running: ChildProcess[] = [];
  mkdirSync(files);
  afterAll(() => {
    for (const child of running) child.kill();
  });

  it('export what the page says', async () => {
    const program = fencesOf(PAGE).find(({ language }) => language === 'js')!.text;
    writeFileSync(path.join(directory, 'shop.mjs'), program);
    const child = spawn(process.execPath, [path.join(directory, 'shop.mjs')], {
      env: { ...process.env, PCP_TMP_DIR: directory },
    });
    running.push(child);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const mmv = new MmvFixture({ directory: files });
    expect(await mmv.names()).toEqual(['mmv.shop.visits']);
    expect(await mmv.metric('mmv.shop.visits')).toMatchObject({ semantics: Semantics.COUNTER, units: { dimCount: 1 } });
    const [first] = Object.values((await mmv.value('mmv.shop.visits')) as object) as number[];
    expect(first).toBeGreaterThanOrEqual(0);
    await mmv.close();
    expect(new MmvAgent({ directory: files, clock: systemClock }).problems).toEqual([]);
  });
});
