import { loadConfig } from '../../src/config/index.js';
import { localMeaning } from '../../src/gateway/room-options.js';

const of = (cluster: Record<string, string>): ReturnType<typeof localMeaning> =>
  localMeaning(loadConfig({ environment: cluster }));

const FLEET = { PMGATE_CLUSTER_URL: 'valkey://db' };
const LINKED = { ...FLEET, PMGATE_CLUSTER_LINK_PORT: '0' };
const ELSEWHERE = { ...LINKED, PMGATE_CLUSTER_LINK_HOST: '192.0.2.1' };

describe('localMeaning()', () => {
  it('means nothing to a gateway of no fleet', () => {
    expect(of({ PMGATE_CLUSTER_LOCAL: 'refuse' })).toBeUndefined();
  });

  it.each<[string, Record<string, string>, object]>([
    ['a link on loopback', LINKED, { isOneMachine: true, localhost: 'own' }],
    ['a link between machines', ELSEWHERE, { isOneMachine: false, localhost: 'refuse' }],
    ['no link', FLEET, { isOneMachine: false, localhost: 'refuse' }],
    ['own', { ...ELSEWHERE, PMGATE_CLUSTER_LOCAL: 'own' }, { isOneMachine: false, localhost: 'own' }],
    ['refuse', { ...LINKED, PMGATE_CLUSTER_LOCAL: 'refuse' }, { isOneMachine: true, localhost: 'refuse' }],
    ['a host', { ...LINKED, PMGATE_CLUSTER_LOCAL: 'web1' }, { isOneMachine: true, localhost: { hostspec: 'web1' } }],
  ])('follows the configuration: %s', (_, environment, meaning) => {
    expect(of(environment)).toEqual(meaning);
  });
});
