import type { components } from '../../../client/index.js';
import type { Item } from '../report.js';
import { bounded, boundedOr, quoted, unitsText, valueText, windowText } from '../text.js';
import type { Tool } from './tool.js';
import { HOST, hostOf, textOf, TIME, WORDS } from './tool.js';

/** The console shows an expression under a name, and the time before the moment of its value. */
const SHOWN_NAME = 'my.metric';
const SHOWN_SEC = 600;

/** An expression, checked without registering it. */
export const check: Tool = {
  name: 'pcp_check_expression',
  description:
    'Checks an expression of metrics, e.g. 100 * mem.util.free / mem.physmem: its value and units, or errors with repairs.',
  properties: { expr: WORDS, host: HOST, at: { ...TIME, description: 'default now' } },
  required: ['expr'],
  async run(given, gateway) {
    const host = hostOf(given, gateway);
    const expr = textOf(given, 'expr') ?? '';
    const at = textOf(given, 'at');
    const checked = (await host.ask('/derived/check', { expr, at }, () => ({
      at: at ?? '-0sec',
    }))) as components['schemas']['DerivedCheck'];
    const { ok, errors, metadata, sample } = checked;
    const moment = sample?.timestamp;
    const shown = moment === undefined ? undefined : windowText(moment - SHOWN_SEC, moment);
    const meant = metadata ? `; ${metadata.type}, ${metadata.semantics}${unitsText(metadata.units)}` : '';
    const faults: Item[] = errors.map(({ reason, explanation, position, repair }) => {
      const better = repair?.expression;
      const call = better === undefined ? '' : `; repair: pcp_check_expression ${JSON.stringify({ expr: better })}`;
      return {
        line: `column ${position.column}: ${quoted(`${reason}: ${explanation}`, 220)}${call}`,
        data: { column: position.column, reason: bounded(reason), repair: better },
      };
    });
    const values: Item[] = (sample?.instances ?? []).map(({ name, value }) => ({
      line: `${name === undefined ? 'value' : quoted(name)}: ${valueText(value)}`,
      data: { instance: boundedOr(name), value },
    }));
    return {
      head: `${quoted(expr, 300)} on ${quoted(host.name)} is ${ok ? 'valid' : 'invalid'}${meant}`,
      items: [...faults, ...values],
      narrower: () => ({ tool: 'pcp_check_expression', arguments: { ...given, expr: `count(${expr})` } }),
      address: host.address('derive', { t: shown, def: `${SHOWN_NAME}:${expr}` }, moment, moment),
    };
  },
};
