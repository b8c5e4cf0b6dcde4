/** The files of the guide for users, by the name that each has below /docs/guide. */
export const GUIDE_PAGES: Readonly<Record<string, string>>;
