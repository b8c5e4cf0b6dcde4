import { signal } from '@preact/signals';
import { render } from 'preact';
import { Button } from '../parts/controls.js';
import { askAgain } from '../data/catalogue.js';
import { local } from '../data/gateway.js';
import { askFactsAgain } from '../data/source-facts.js';
import { session } from '../state/access.js';
import { show, view } from '../state/page.js';
import { EMPTY_VIEW } from '../state/url-state.js';
import { bytesIn, localArchives, openFiles, type GivenFile, type Progress } from './source.js';

export { fetchLocal } from './source.js';

/** Opening takes at least so long before its progress is shown. */
const SHOWN_AFTER_MS = 200;

/** How far the opening in progress is, once that is shown. */
const opening = signal<Partial<Progress> | undefined>(undefined);
let latest = new AbortController();
const trouble = signal('');
const cancel = (): void => latest.abort(new Error('Cancelled.'));

/** What the page says of archives of this machine. */
function LocalBar() {
  const [progress, count] = [opening.value, localArchives.value.length];
  const percent = progress?.total && Math.floor((100 * progress.read!) / progress.total);
  return (
    <>
      {count === 0 ? null : (
        <p class="notice" role="status">
          {count === 1 ? '1 local archive' : `${count} local archives`} · <strong>nothing leaves this machine</strong>
        </p>
      )}
      <div class="said" hidden={!progress && trouble.value === ''} style={{ right: 'auto', left: '16px' }}>
        <label hidden={!progress}>
          Opening… <progress value={percent} max={100} />
        </label>
        {progress ? <Button text="Cancel" onClick={cancel} /> : null}
        {trouble.value === '' ? null : (
          <>
            <p class="trouble" role="alert">
              {trouble.value}
            </p>
            <Button text="✕" aria-label="Close" onClick={() => (trouble.value = '')} />
          </>
        )}
      </div>
    </>
  );
}

let bar: HTMLElement | undefined;

/** Opens files of the user, and shows the archives among them. */
export async function takeFiles(gathering: Promise<readonly GivenFile[]>): Promise<void> {
  if (!bar) {
    bar = document.getElementById('here')!;
    render(<LocalBar />, bar);
  }
  cancel();
  const own = (latest = new AbortController());
  opening.value = undefined;
  trouble.value = '';
  const timer = setTimeout(() => latest === own && (opening.value = {}), SHOWN_AFTER_MS);
  const onProgress = (progress: Progress): void => {
    if (latest === own && opening.peek()) opening.value = progress;
  };
  try {
    const names = await openFiles(await gathering, { signal: own.signal, onProgress });
    local.keepScreens();
    const wanted = view.peek().on;
    // What the address is about was asked for before it was there.
    if (names.some((name) => wanted.includes(`archive:${name}`))) {
      askAgain();
      askFactsAgain();
      session.value++;
    } else show({ ...EMPTY_VIEW, ...(names.length === 1 ? { on: [`archive:${names[0]!}`] } : { screen: 'archives' }) });
  } catch (error) {
    if (!own.signal.aborted) trouble.value = (error as Error).message;
  } finally {
    clearTimeout(timer);
    // Another opening may have begun meanwhile.
    if (latest === own) opening.value = undefined;
  }
}

/** Asks the user for files, or for a folder. */
export function pickFiles(isFolder: boolean): void {
  const input = document.createElement('input');
  Object.assign(input, { type: 'file', multiple: true, webkitdirectory: isFolder });
  input.addEventListener('change', () => void takeFiles(Promise.resolve(filesOf(input.files ?? []))));
  input.click();
}

function filesOf(files: Iterable<File>): readonly GivenFile[] {
  return [...files].map((blob) => ({ path: blob.webkitRelativePath || blob.name, blob }));
}

/** Takes what is dropped anywhere on the page. */
export function listenForDrops(): void {
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    const { items, files } = event.dataTransfer!;
    // They are there during the event only.
    const entries = [...items].map((item) => item.webkitGetAsEntry());
    const isFolder = entries.some((entry) => entry?.isDirectory);
    // A folder need not be among the files.
    if (isFolder || files.length > 0) void takeFiles(isFolder ? filesBelow(entries) : Promise.resolve(filesOf(files)));
  });
}

async function filesBelow(entries: readonly (FileSystemEntry | null)[]): Promise<readonly GivenFile[]> {
  const found: GivenFile[] = [];
  for (const entry of entries) {
    if (entry?.isFile) {
      const blob = await new Promise<File>((take, fail) => (entry as FileSystemFileEntry).file(take, fail));
      found.push({ path: entry.fullPath.slice(1), blob });
    } else if (entry) {
      const reader = (entry as FileSystemDirectoryEntry).createReader();
      // It gives a hundred at a time, and none at the end.
      for (;;) {
        const some = await new Promise<FileSystemEntry[]>((take, fail) => reader.readEntries(take, fail));
        if (some.length === 0) break;
        found.push(...(await filesBelow(some)));
      }
    }
  }
  return found;
}

/** Opens the archives that are in the page. */
export function takeOwn(): void {
  const files = [...document.querySelectorAll<HTMLElement>('script[data-file]')].map((element) => ({
    path: element.dataset.file!,
    blob: bytesIn(element),
  }));
  if (files.length > 0) void takeFiles(Promise.resolve(files));
}
