import { readFileSync } from 'node:fs';
import { GUIDE_PAGES } from '../../config/tooling/guide.js';

/** A page of the guide for users. */
export interface GuidePage {
  readonly file: string;
  readonly text: string;
}

/** The pages of the guide for users, README.md first. */
export const GUIDE: readonly GuidePage[] = Object.values(GUIDE_PAGES).map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}));

/** A fenced block of a page. */
export interface Fence {
  /** The word behind the opening fence: `sh`, `json` …, or nothing. */
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, in order. */
export function fencesOf(text: string): readonly Fence[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));
}

/** The anchors of a page: its headings as GitHub turns them into fragments. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
  return new Set(headings.map((heading) => anchorOf(heading)));
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** The targets of a page's links, with their fragments. */
export function linksOf(text: string): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target!);
}
