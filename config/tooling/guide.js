/** The pages of the guide for users, by the name that each has below /docs/guide. README.md is its first page. */
export const GUIDE_PAGES = {
  '': 'README.md',
  api: 'src/http/API.md',
  derived: 'src/derived/TUTORIAL.md',
  language: 'src/derived/LANGUAGE.md',
  hosts: 'src/sources/pmcd/HOSTS.md',
  archives: 'src/sources/archive/ARCHIVES.md',
  shell: 'src/shell/SHELL.md',
  client: 'src/client/README.md',
  access: 'src/access/ACCESS.md',
  overload: 'src/http/overload/OVERLOAD.md',
  options: 'src/config/OPTIONS.md',
  errors: 'src/pmapi/ERRORS.md',
  faults: 'test/faults/README.md',
  conformance: 'test/conformance/README.md',
  benchmarks: 'test/bench/README.md',
  changes: 'CHANGELOG.md',
};
