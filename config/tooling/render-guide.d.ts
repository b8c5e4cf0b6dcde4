/** Every page of the guide for users as HTML: pairs of its name below /docs/guide and its text. */
export function renderGuide(): readonly (readonly [name: string, html: string])[];
