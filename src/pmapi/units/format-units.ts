import { findExtraUnit } from './extra-units.js';
import type { Units } from './units.js';

const SPACE = ['byte', 'Kbyte', 'Mbyte', 'Gbyte', 'Tbyte', 'Pbyte', 'Ebyte', 'Zbyte', 'Ybyte'];
const TIME = ['nanosec', 'microsec', 'millisec', 'sec', 'min', 'hour'];

/** The units as PCP 7.2 prints them: `Kbyte / sec`, `count x 10^3`, `/ sec`; '' without dimension. @see pmUnitsStr(3) */
export function formatUnits(units: Units): string {
  const { dimSpace, dimTime, dimCount, extraUnit, scaleCount } = units;
  if (dimSpace === 0 && dimTime === 0 && dimCount === 0 && extraUnit === 0) {
    return scaleCount === 0 ? '' : countWord(scaleCount);
  }
  const parts: readonly (readonly [dim: number, word: string])[] = [
    [Math.sign(extraUnit), extraWord(units)],
    [dimSpace, SPACE[units.scaleSpace] ?? `space-${units.scaleSpace}`],
    [dimTime, TIME[units.scaleTime] ?? `time-${units.scaleTime}`],
    [dimCount, countWord(scaleCount)],
  ];
  const half = (sign: 1 | -1): string =>
    parts
      .filter(([dim]) => dim * sign > 0)
      .map(([dim, word]) => (Math.abs(dim) === 1 ? word : `${word}^${Math.abs(dim)}`))
      .join(' ');
  const [above, below] = [half(1), half(-1)];
  if (below === '') return above;
  return above === '' ? `/ ${below}` : `${above} / ${below}`;
}

function countWord(scale: number): string {
  if (scale === 0) return 'count';
  return scale === 1 ? 'count x 10' : `count x 10^${scale}`;
}

function extraWord({ extraUnit, extraScale }: Units): string {
  const unit = findExtraUnit(extraUnit);
  if (!unit) return `extra-${Math.abs(extraUnit)}`;
  const scale = unit.scales.find((candidate) => candidate.id === extraScale);
  return `${unit.name} (${scale ? scale.name : `scale-${extraScale}`})`;
}
