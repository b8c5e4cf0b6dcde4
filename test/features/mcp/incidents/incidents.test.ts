/**
 * Twelve kinds of trouble as they were recorded, and an assistant by rules that finds out what it was. The transcripts are beside the
 * recordings; `PMGATE_WRITE=1 npm test -- test/features/mcp/incidents` writes them again.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Truth } from '../../../troubles/verdict.js';
import { Assistant } from '../support/assistant.js';
import { serveOffline } from '../support/served.js';
import { type Conclusion, walk } from './walker.js';

const HERE = path.resolve('test/features/mcp/incidents');
const KINDS = readdirSync(HERE, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const QUIET = 'quiet';
const LEAST_RIGHT = 0.9;
const [MOST_CALLS, MOST_TOKENS] = [6, 6000];

const right = new Map<string, boolean>();

/** Whether what is named first is right; of a machine at rest, whether nothing is named. */
function isRight(conclusions: readonly Conclusion[], { resources, name, pid, group }: Truth): boolean {
  if (name === undefined) return conclusions.length === 0;
  return conclusions.some(
    ({ resource, culprit }) =>
      resources.includes(resource) &&
      (culprit?.pid === pid || culprit?.name.startsWith(name) === true || culprit?.name === group),
  );
}

describe('an assistant that only follows answers', () => {
  it.each(KINDS)('walks through %s within six calls and 6,000 tokens, as the transcript says', async (kind) => {
    const directory = path.join(HERE, kind);
    const truth = JSON.parse(readFileSync(path.join(directory, 'truth.json'), 'utf8')) as Truth;
    const gateway = await serveOffline(path.join(directory, 'archive'));
    const assistant = await Assistant.connect('http://localhost', { fetch: gateway.fetch });
    const [start = '', finish = ''] = [truth.begin, truth.end].map((sec) =>
      new Date(Math.round(sec) * 1000).toISOString(),
    );
    const { transcript, calls, tokens, conclusions } = await walk(assistant, { start, finish });
    await assistant.client.close();
    await gateway.close();
    const file = path.join(directory, 'transcript.txt');
    if (process.env.PMGATE_WRITE !== undefined) writeFileSync(file, transcript);
    expect(transcript).toBe(readFileSync(file, 'utf8'));
    expect(calls).toBeLessThanOrEqual(MOST_CALLS);
    expect(tokens).toBeLessThanOrEqual(MOST_TOKENS);
    right.set(kind, isRight(conclusions.slice(0, 1), truth));
  });

  it('names resource and culprit in nine of ten', () => {
    const wrong = [...right].flatMap(([kind, isSo]) => (isSo ? [] : [kind]));
    expect(right.size).toBe(KINDS.length);
    expect([wrong, wrong.length <= (1 - LEAST_RIGHT) * right.size]).toEqual([wrong, true]);
    expect(right.get(QUIET)).not.toBe(false);
  });

  it('reads recordings that have all that is recorded of processes and groups today', async () => {
    const lines = ['who', 'who-besides'].flatMap((file) =>
      readFileSync(`config/record/${file}.txt`, 'utf8').split('\n'),
    );
    const names = lines.filter((line) => /^\w/.test(line));
    const gateway = await serveOffline(path.join(HERE, 'limit/archive'));
    const answer = await gateway.fetch(`http://localhost/pmapi/metric?archive=archive&names=${names.join()}`);
    const { metrics } = (await answer.json()) as { metrics: readonly { name: string; pmid?: string }[] };
    expect(metrics.flatMap(({ name, pmid }) => (pmid === undefined ? [] : [name]))).toEqual(names);
    await gateway.close();
  });

  it('is quoted in the guide', () => {
    const guide = readFileSync('src/features/mcp/MCP.md', 'utf8').split('## What it is like')[1]!.split('```')[1]!;
    const transcript = readFileSync(path.join(HERE, 'fsync/transcript.txt'), 'utf8').split('\n');
    for (const line of guide.trim().split('\n')) expect(transcript).toContain(line);
  });
});
