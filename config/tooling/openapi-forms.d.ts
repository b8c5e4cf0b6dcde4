/** openapi.yaml and compat-operations.yaml, parsed, as the document of every route. */
export function compatDocument(lean: object, others: object): object;
