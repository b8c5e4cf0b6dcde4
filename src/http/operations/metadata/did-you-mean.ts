import type { Context, MeantKind } from '../../../context/index.js';
import type { Warning } from '../../response/warnings.js';

/** `; did you mean kernel.all.load?`, appended to a message; '' if no name is near. */
function didYouMean(nearest: readonly string[] | undefined): string {
  return nearest && nearest.length > 0 ? `; did you mean ${nearest.join(' or ')}?` : '';
}

/** The names that an unknown one was probably meant to be, for the end of a message. */
export async function suggestionFor(context: Context, name: string, kind: MeantKind): Promise<string> {
  return didYouMean((await context.names.meantNames([name], kind)).get(name));
}

/** Warnings; those about unknown names have suggestions. */
export async function withSuggestions(
  context: Context,
  warnings: readonly Warning[],
  kind: MeantKind,
): Promise<readonly Warning[]> {
  const unknown = warnings.flatMap(({ code, name }) => (code === 'UNKNOWN_METRIC' && name !== undefined ? name : []));
  if (unknown.length === 0) return warnings;
  const meant = await context.names.meantNames(unknown, kind);
  if (meant.size === 0) return warnings;
  return warnings.map((warning) => {
    const { code, name = '' } = warning;
    if (code !== 'UNKNOWN_METRIC') return warning;
    return { ...warning, message: `${warning.message}${didYouMean(meant.get(name))}` };
  });
}
