import { Button } from './controls.js';

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
