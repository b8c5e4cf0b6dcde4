export { AccessControl } from './access-control.js';
export type { AccessOptions, AnonymousFrom, Credentials, HostLogin, ClientOrigin } from './access-control.js';
export { AccessFileError, readAccessFile, type AccessFile, type AccessProblem } from './access-file.js';
export { hashPassword, makeToken, tokenDigest } from './credentials.js';
export { holdsCredentials, PERMISSIONS, Principal, PUSHED, RECORDINGS } from './principal.js';
export type { DescribedPrincipal, Permission, Role, RoleDefinition, Visibility } from './principal.js';
