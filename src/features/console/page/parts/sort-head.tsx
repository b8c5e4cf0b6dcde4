import { Button } from './controls.js';

/** Numbers with the greatest first, texts by the alphabet (`web2` before `web10`), what is not known last. */
export function compare(a: string | number | undefined, b: string | number | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a === 'number' && typeof b === 'number') return b - a;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** The head of a column that a table can be sorted by. @param sorts how it is sorted by it; undefined: it is not */
export function SortHead(props: {
  readonly text: string;
  readonly isNumber?: boolean;
  readonly sorts: 'ascending' | 'descending' | undefined;
  readonly onSort: () => void;
}) {
  const { text, isNumber = false, sorts, onSort } = props;
  return (
    <th scope="col" class={isNumber ? 'number' : ''} aria-sort={sorts}>
      <Button onClick={onSort}>
        {text}
        <span aria-hidden="true">{sorts && (sorts === 'ascending' ? ' ▴' : ' ▾')}</span>
      </Button>
    </th>
  );
}
