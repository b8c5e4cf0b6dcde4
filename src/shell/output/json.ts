/** A value as JSON on one line that is safe for terminals: control characters that JSON.stringify() leaves are escaped, too. */
export function jsonLine(value: unknown): string {
  return `${escapeControls(JSON.stringify(value))}\n`;
}

/** A value as JSON for people and scripts: indented by two. */
export function jsonText(value: unknown): string {
  return `${escapeControls(JSON.stringify(value, undefined, 2))}\n`;
}

function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
