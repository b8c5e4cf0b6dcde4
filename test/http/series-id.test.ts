import { expressionId, instanceId, seriesId, sourceId } from '../../src/http/index.js';
import { type Label, MetricType, Semantics, makeLabel, makeUnits, parseUnits } from '../../src/pmapi/index.js';

/** Expected identifiers are those that pmproxy 7.2.1 gave for archives of PCP's own test suite. */
const HOST = [makeLabel('hostname', 'brolley-t530')];
const BOZO: readonly Label[] = [
  makeLabel('domainname', 'localdomain'),
  makeLabel('hostname', 'bozo-vm.localdomain'),
  makeLabel('machineid', '5011f5f5e2db41718bbdf8d2914b19db'),
];
const OF_SAMPLE = [makeLabel('agent', 'sample'), makeLabel('role', 'testing')];

const counter = (units: string) => ({
  type: MetricType.U64,
  semantics: Semantics.COUNTER,
  units: parseUnits(units).units,
});

describe('identifiers of series, as PCP computes them', () => {
  it('names a source by its context labels', () => {
    expect(sourceId(HOST)).toBe('7e9b8f13bacdfe9fdb7a8de14d185bc17e612553');
    expect(sourceId(BOZO)).toBe('4d2e6425956b4705260c1015e0dc84d72e57d732');
  });

  it('names a metric by name, labels, semantics, type and units', () => {
    expect(seriesId('kernel.all.pswitch', counter('count'), HOST)).toBe('35022e42197744dee1f8c5ff85e2069b7ee5753e');
    const load = { type: MetricType.FLOAT, semantics: Semantics.INSTANT, units: makeUnits({}) };
    expect(seriesId('kernel.all.load', load, HOST)).toBe('478a0418b9c93521493fbf0252bba454d1a728d9');
    const labels = [...OF_SAMPLE, makeLabel('cluster', 'zero'), ...BOZO];
    expect(seriesId('sample.proc.time', counter('millisec'), labels)).toBe('4ce12b76b78f893dcd41849da9f33188d3e41308');
  });

  it('names an instance by its name and labels', () => {
    expect(instanceId('1 minute', HOST)).toBe('7b5415fefd3ee34c7abb64a0822e0e82ea6e13aa');
    expect(instanceId('0001 init', [...OF_SAMPLE, ...BOZO])).toBe('1899d1ada1a0286ec946398919cebb8b017dd526');
  });

  it('names an expression by its canonical form, whatever quotes are in it', () => {
    expect(expressionId('rate(kernel.all.pswitch)')).toBe('79cc71e91ffd9f5a6adbcb8c7ee8d01164677f71');
    expect(expressionId('rate(disk.dev.read{hostname=="brolley-t530"})')).toBe(
      'f6bf6950a6c3525de673d2d74422f0c8b7996bd1',
    );
  });

  it('leaves optional labels out, and keeps the text of the others', () => {
    const optional = { name: 'userid', json: '1000', optional: true };
    expect(sourceId([...HOST, optional])).toBe(sourceId(HOST));
    const latitude = (json: string): string => sourceId([...HOST, { name: 'latitude', json }]);
    expect(latitude('-37.8140')).not.toBe(latitude('-37.814'));
  });
});
