import { viewOn } from '../data/shown-time.js';
import { encodeView } from '../state/url-state.js';

/** The page of a process (its number) or a control group (its path). */
export function whoLink(source: string, who: string): string {
  return encodeView({ ...viewOn(source), screen: 'process', lanes: [], words: who });
}

/** A glob that also matches names with characters in them that mean something in globs: `?` stands for each. */
export function escapeGlob(name: string): string {
  return name.replaceAll(/[*[\\]/g, '?').replace(/^!/, '?');
}
