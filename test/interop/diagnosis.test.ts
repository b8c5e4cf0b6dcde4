import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { PATIENT_HOSTS } from '../support/patience.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';

interface Diagnosis {
  readonly resources: readonly {
    readonly resource: string;
    readonly state: string;
    readonly unknown?: string;
    readonly who?: readonly { readonly pid?: number; readonly name: string }[];
  }[];
  readonly notJudged: readonly { readonly rule: string; readonly reason: string }[];
}

describeWithPcp('a diagnosis of a pmcd', () => {
  const root = temporaryDirectory();
  let hog: ChildProcess;
  let others: readonly ChildProcess[] = [];
  let pmcd: RunningPmcd;
  let gateway: RunningGateway;

  beforeAll(async () => {
    const link = path.join(root.path, 'pmgate-hog');
    symlinkSync('/bin/sh', link);
    // At a real-time priority it gets its processor, whatever else this machine does.
    const loop = [link, '-c', 'while :; do :; done'] as const;
    hog = spawn('chrt', ['-r', '1', ...loop], { stdio: 'ignore' });
    await once(hog, 'spawn');
    // Without processes, only all processors say that they are busy.
    others = Array.from({ length: availableParallelism() - 1 }, () => spawn('nice', loop, { stdio: 'ignore' }));
    pmcd = await startPmcd();
    gateway = await startGateway({
      PMGATE_HOSTS_ALLOW_SOCKETS: 'true',
      PMGATE_HOSTS_ALLOW: '127.0.0.1:*',
      ...PATIENT_HOSTS,
    });
  });

  afterAll(async () => {
    for (const process of [hog, ...others]) process.kill('SIGKILL');
    await gateway.close();
    await pmcd.stop();
  });

  async function diagnose(hostspec: string): Promise<Diagnosis> {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/diagnosis?hostspec=${encodeURIComponent(hostspec)}`);
    const text = await answer.text();
    expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, '']);
    return JSON.parse(text) as Diagnosis;
  }

  const processorIn = ({ resources }: Diagnosis): Diagnosis['resources'][number] =>
    resources.find(({ resource }) => resource === 'processor')!;

  it('names who takes the processors, where pmcd tells of processes', async () => {
    const found = await diagnose(`unix://${pmcd.socket}`);
    const { state, who = [] } = processorIn(found);
    expect(state).not.toBe('usual');
    expect(who.slice(0, 3)).toContainEqual(expect.objectContaining({ pid: hog.pid, name: 'pmgate-hog' }));
    // What PCP has no metrics for is said to be missing.
    const missing = found.notJudged.map(({ rule }) => rule);
    expect(missing).toContain('group.throttled');
  });

  it('names nobody where it does not', async () => {
    const { state, who = [], unknown } = processorIn(await diagnose(`127.0.0.1:${pmcd.port}`));
    expect(state).not.toBe('usual');
    expect(who.every(({ pid }) => pid === undefined)).toBe(true);
    if (who.length === 0) expect(unknown).toMatch(/not known/);
  });
});
