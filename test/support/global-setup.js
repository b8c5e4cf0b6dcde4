/**
 * Tests run in UTC, whatever the machine's zone: expected texts hold times of day. And no gateway reads the MMV files of this machine's
 * applications, unless a test says where they are.
 */
export default function globalSetup() {
  process.env.TZ = 'UTC';
  process.env.PCP_TMP_DIR = '/nonexistent';
}
