/**
 * A readable name of a process, with paths shortened and the number last: `001 /usr/bin/python3 /srv/app.py` is `python3 app.py (1)`.
 * @param most what is longer is cut, except its number
 */
export function shortName(name: string, most = Infinity): string {
  const plain = name.replaceAll(/(?<=^| )\/(?:[^ /]+\/)+(?=[^ ])/g, '');
  return plain.replace(/^0*(\d+) (.+)$/s, (_, pid: string, command: string) => {
    return `${command.length > most ? `${command.slice(0, most - 1)}…` : command} (${pid})`;
  });
}
