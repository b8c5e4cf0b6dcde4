import { useSignal } from '@preact/signals';
import { archiveTrouble, openArchives, wantArchives } from '../data/catalogue.js';
import { troubleText } from '../data/gateway.js';
import { Button } from './controls.js';
import { change, view } from '../state/page.js';

/** The sources of the page: a chip for each, and an input that adds a host or an archive. */
export function SourcePicker() {
  const { on } = view.value;
  const text = useSignal('');
  // Beside the same first one, the time stays.
  const use = (sources: readonly string[]): void =>
    change({ on: sources, ...(sources[0] === on[0] ? {} : { time: { kind: 'default' } }) });
  /** Show what was typed beside others. */
  const take = (others: readonly string[]): void => {
    const typed = text.value.trim();
    text.value = '';
    if (typed !== '' && !others.includes(typed)) use([...others, typed]);
  };
  return (
    <form
      class="sources"
      aria-label="Sources"
      onSubmit={(event) => {
        event.preventDefault();
        take([]);
      }}
    >
      {on.map((source) => (
        <span class="chip" key={source}>
          {source}
          {on.length > 1 ? (
            <Button
              text="✕"
              aria-label={`Remove ${source}`}
              onClick={() => use(on.filter((each) => each !== source))}
            />
          ) : null}
        </span>
      ))}
      <span class="another">
        <input
          type="text"
          list="sources"
          aria-label="Another host or archive"
          title="A hostspec (web1), or archive:NAME: Enter opens it, Shift+Enter adds it"
          placeholder="host or archive"
          spellcheck={false}
          value={text}
          onFocus={() => void wantArchives()}
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !event.shiftKey) return;
            event.preventDefault();
            take(on);
          }}
        />
        <Button text="Open" type="submit" />
        {text.value.trim() === '' ? null : (
          <Button text="Add" title="Show it beside what is shown" onClick={() => take(on)} />
        )}
      </span>
      <datalist id="sources">
        <option value="localhost" />
        <option value="embedded" />
        {openArchives.value.map(({ name, hostspec }) => (
          <option key={name} value={name}>
            {hostspec}
          </option>
        ))}
      </datalist>
      {archiveTrouble.value ? <span class="trouble">{troubleText(archiveTrouble.value, 'archives')}</span> : null}
    </form>
  );
}
