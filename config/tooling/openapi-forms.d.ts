/** The text of openapi.yaml with its generated parts brought up to date. */
export declare function withForms(text: string): string;
