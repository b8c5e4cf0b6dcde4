/** A readable name of a process, with paths shortened and the number last: `001 /usr/bin/python3 /srv/app.py` is `python3 app.py 001`. */
export function shortName(name: string): string {
  const plain = name.replaceAll(/(?<=^| )\/(?:[^ /]+\/)+(?=[^ ])/g, '');
  return plain.replace(/^0*(\d+) (.+)$/, '$2 ($1)');
}
