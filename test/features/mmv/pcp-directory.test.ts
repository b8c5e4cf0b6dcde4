import { pcpDirectory } from '../../../src/features/mmv/feature.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe("PCP's directory of MMV files", () => {
  const directory = temporaryDirectory();
  const conf = (text: string): string => directory.write('pcp.conf', Buffer.from(text));

  it('is below the one for temporary files that the environment names', () => {
    const PCP_CONF = conf('PCP_TMP_DIR=/other\n');
    expect(pcpDirectory({ PCP_TMP_DIR: '/some/tmp', PCP_CONF })).toBe('/some/tmp/mmv');
  });

  it('is below the one that the configuration of PCP names', () => {
    const PCP_CONF = conf('# comment\nPCP_LOG_DIR=/log\nPCP_TMP_DIR=/var/lib/pcp/tmp\nPCP_RUN_DIR=/run\n');
    expect(pcpDirectory({ PCP_CONF })).toBe('/var/lib/pcp/tmp/mmv');
    expect(pcpDirectory({ PCP_CONF, PCP_TMP_DIR: '' })).toBe('/var/lib/pcp/tmp/mmv');
  });

  it.each(['', 'PCP_TMP_DIR=\n', '#PCP_TMP_DIR=/x\n'])('is unknown where that names nothing: %j', (text) => {
    expect(pcpDirectory({ PCP_CONF: conf(text) })).toBeUndefined();
  });

  it('is unknown without PCP', () => {
    expect(pcpDirectory({ PCP_CONF: '/nonexistent/pcp.conf' })).toBeUndefined();
  });
});
