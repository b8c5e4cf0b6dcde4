export { AccessControl } from './access-control.js';
export type { AccessOptions, AnonymousFrom, Claim } from './access-control.js';
export { AccessFileError, readAccessFile } from './access-file.js';
export type { AccessFile, AccessProblem } from './access-file.js';
export { hashPassword } from './password-hash.js';
export { Principal } from './principal.js';
export type { Visibility } from './principal.js';
export { PERMISSIONS } from './role.js';
export type { Permission, Role, RoleDefinition } from './role.js';
