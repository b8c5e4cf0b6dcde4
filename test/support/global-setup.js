/** Tests run in UTC, whatever the machine's zone: expected texts hold times of day. */
export default function globalSetup() {
  process.env.TZ = 'UTC';
}
