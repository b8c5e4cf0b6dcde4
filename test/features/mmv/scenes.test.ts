import { parseIndom } from '../../../src/pmapi/index.js';
import { MmvFixture } from './support/mmv-fixture.js';
import { SCENES } from './support/scenes.js';

/** Each scene is shown to PCP's own agent, too: test/interop/mmv.test.ts. */
describe('a directory of MMV files', () => {
  it.each(Object.entries(SCENES).map(([name, scene]) => [name, scene.why, scene] as const))(
    'is served: %s: %s',
    async (_name, _why, scene) => {
      const mmv = new MmvFixture();
      try {
        for (const [name, file] of Object.entries(scene.files)) mmv.put(name, file);
        const names = Object.keys(scene.values).sort();
        expect(await mmv.names()).toEqual(names);
        expect(await mmv.fetch(names)).toEqual(scene.values);
        for (const [name, expected] of Object.entries(scene.metrics ?? {})) {
          const found = await mmv.metric(name);
          expect({ name, ...found }).toMatchObject({ name, ...expected });
          // These and no others.
          const { cluster = found.cluster, item = found.item } = expected;
          expect({ name, cluster: found.cluster, item: found.item }).toEqual({ name, cluster, item });
        }
        for (const [indom, expected] of Object.entries(scene.instances ?? {})) {
          const found = mmv.instances(parseIndom(indom)!);
          if (expected === null) await expect(found).rejects.toThrow();
          else expect(await found).toEqual(expected);
        }
        for (const [indom, expected] of Object.entries(scene.indomLabels ?? {})) {
          expect(await mmv.labels({ kind: 'indom', indom: parseIndom(indom)! })).toEqual(expected);
        }
        for (const [indom, expected] of Object.entries(scene.instanceLabels ?? {})) {
          expect(await mmv.instanceLabels(parseIndom(indom)!)).toEqual(expected);
        }
        const files = { [-1]: scene.fileCount ?? Object.keys(scene.files).length };
        expect(await mmv.value('mmv.control.files')).toEqual(files);
        expect(await mmv.value('mmv.control.metrics')).toEqual({ [-1]: names.length });
      } finally {
        await mmv.close();
      }
    },
  );
});
