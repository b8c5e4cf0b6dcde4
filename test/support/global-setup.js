import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';

/**
 * Tests run in UTC, whatever the machine's zone: expected texts hold times of day. And no gateway reads the MMV files of this machine's
 * applications, unless a test says where they are: PCP's directory for temporary files is an empty one. openapi.compat.yaml is parsed once for
 * all suites, which read it as JSON (`openapi-document.ts`): parsing the YAML takes 0.7 seconds. Temporary files of all suites are in one
 * directory, which goes with the run, and so does that of the programs that suites make (`bundled-program.ts`).
 */
export default function globalSetup() {
  process.env.TZ = 'UTC';
  const directory = mkdtempSync(path.join(tmpdir(), 'pmgate-tests-'));
  process.env.TMPDIR = directory;
  process.env.PCP_TMP_DIR = path.join(directory, 'pcp');
  mkdirSync(process.env.PCP_TMP_DIR);
  // A busy machine has PCP's programs wait for pmcd.
  process.env.PMCD_CONNECT_TIMEOUT = process.env.PMCD_REQUEST_TIMEOUT = '60';
  // Not PMGATE_…, which gateways of tests would take for an option.
  process.env.OPENAPI_OF_TESTS = path.join(directory, 'openapi.json');
  writeFileSync(
    process.env.OPENAPI_OF_TESTS,
    JSON.stringify(parse(readFileSync('config/openapi.compat.yaml', 'utf8'))),
  );
  mkdirSync('node_modules/.cache', { recursive: true });
  const programs = mkdtempSync(path.resolve('node_modules/.cache/pmgate-test-'));
  process.env.PROGRAMS_OF_TESTS = programs;
  process.on('exit', () => {
    for (const each of [directory, programs]) {
      try {
        rmSync(each, { recursive: true, force: true });
      } catch {
        // A process that a suite did not wait for still writes.
      }
    }
  });
  // Gateways record nothing, unless a test is about that.
  process.env.PMGATE_RECORD_ENABLED = 'false';
}
