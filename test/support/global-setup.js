import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Tests run in UTC, whatever the machine's zone: expected texts hold times of day. And no gateway reads the MMV files of this machine's
 * applications, unless a test says where they are: PCP's directory for temporary files is an empty one.
 */
export default function globalSetup() {
  process.env.TZ = 'UTC';
  const directory = mkdtempSync(path.join(tmpdir(), 'pmgate-pcp-'));
  process.env.PCP_TMP_DIR = directory;
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  // Gateways record nothing, unless a test is about that.
  process.env.PMGATE_RECORD_ENABLED = 'false';
}
