import { makeIndom, makeLabel, makePmid, MetricType, Semantics } from '../../src/pmapi/index.js';
import { descriptor } from './memory-gateway.js';
import type { MemoryContent } from './memory-source.js';
import { rows } from './rows.js';

/** What must never be seen: of the hidden metrics the value, the help, labels, instance names; of the archive a text. */
export const SECRETS = /770077|SECRETTEXT|SECRETINST|SECRETLABEL|text, [\\"]/;

const SECRET_INDOM = makeIndom(100, 7);
const OPEN_INDOM = makeIndom(100, 8);

/** A host with metrics that all may see, and with such that only some may. */
export const SECRET_CONTENT: MemoryContent = {
  hostName: 'web1',
  metrics: [
    { name: 'open.one', descriptor: descriptor(makePmid(100, 1, 0)), oneline: 'hush, in the open', values: 1 },
    {
      name: 'open.many',
      descriptor: descriptor(makePmid(100, 1, 1), { indom: OPEN_INDOM }),
      values: new Map(rows([0, 4], [1, 5])),
    },
    {
      name: 'secret.value',
      descriptor: descriptor(makePmid(100, 2, 0)),
      oneline: 'hush SECRETTEXT',
      help: 'hush, SECRETTEXT at length',
      values: 770077,
    },
    {
      name: 'secret.text',
      descriptor: descriptor(makePmid(100, 2, 1), { type: MetricType.STRING }),
      values: 'SECRETTEXT',
    },
    {
      name: 'secret.many',
      descriptor: descriptor(makePmid(100, 2, 2), { indom: SECRET_INDOM, semantics: Semantics.COUNTER }),
      values: new Map(rows([0, 770077], [1, 770077])),
    },
  ],
  indoms: [
    {
      indom: OPEN_INDOM,
      instances: rows({ id: 0, name: 'first' }, { id: 1, name: 'second' }),
    },
    {
      indom: SECRET_INDOM,
      instances: rows({ id: 0, name: 'SECRETINST a' }, { id: 1, name: 'SECRETINST b' }),
      oneline: 'hush SECRETTEXT',
      labels: [makeLabel('hush', 'SECRETLABEL')],
      instanceLabels: new Map([[0, [makeLabel('hush', 'SECRETLABEL')]]]),
    },
  ],
};
