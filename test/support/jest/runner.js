import path from 'node:path';
import { formatResultsErrors } from 'jest-message-util';
import TestRunner from 'jest-runner';

/** How many suites share their modules at most: with more, two processes end less evenly, and what was loaded is used less. */
const AT_MOST = 12;

/**
 * Jest's own runner, for several suites at a time: those that stand side by side run one after the other in one place, where each module is
 * loaded once. Loading took a third of all. `framework.js` is the other half; reports are of each suite, as ever. Its option `suites` is an
 * expression of the paths of which that is true, from the root on; without it, of all.
 */
export default class SuitesRunner extends TestRunner {
  runTests(tests, watcher, options) {
    // A pattern is of the names of tests, which begin with their suite here.
    const { testNamePattern, collectTests, maxWorkers } = this._globalConfig;
    if (testNamePattern || collectTests) return super.runTests(tests, watcher, options);
    const size = Math.min(AT_MOST, Math.ceil(tests.length / (options.serial ? 1 : maxWorkers)));
    const suites = new RegExp(this._options?.suites ?? '');
    const isTogether = (test) => suites.test(path.relative(test.context.config.rootDir, test.path));
    const groups = [];
    for (const test of tests.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
      const last = groups.at(-1);
      const isNear = last && last.length < size && roomOf(last[0]) === roomOf(test);
      if (isNear && isTogether(last[0]) && isTogether(test)) last.push(test);
      else groups.push([test]);
    }
    // The longest first.
    const weights = new Map(groups.map((group) => [group, group.reduce((sum, test) => sum + weightOf(test), 0)]));
    groups.sort((a, b) => weights.get(b) - weights.get(a));
    return super.runTests(
      groups.map((group) => (group.length > 1 ? together(group) : group[0])),
      watcher,
      options,
    );
  }

  on(name, listener) {
    const each = async ([{ suites }, outcome]) => {
      const outcomes = name === 'test-file-success' ? ofEach(suites, outcome, this._globalConfig) : undefined;
      for (const [i, test] of suites.entries()) await listener([test, outcomes?.[i] ?? outcome]);
    };
    const isOfSuites = ['test-file-start', 'test-file-success', 'test-file-failure'].includes(name);
    return super.on(name, isOfSuites ? (event) => (event[0].suites ? each(event) : listener(event)) : listener);
  }
}

/** The directory below test/ that a suite is in: suites of one room need much the same. */
function roomOf({ path: file, context }) {
  return path.relative(context.config.rootDir, path.dirname(file)).split(path.sep)[1];
}

/** What a suite takes: the time that it took, or a guess by its size. */
function weightOf({ path: file, duration, context }) {
  return duration ?? context.hasteFS.getSize(file) ?? 0;
}

/** One test of jest for several: the first, whose configuration names all. */
function together(suites) {
  const [{ path: file, context }] = suites;
  const { config } = context;
  const testEnvironmentOptions = { ...config.testEnvironmentOptions, suites: suites.map((each) => each.path) };
  return { path: file, context: { ...context, config: { ...config, testEnvironmentOptions } }, suites };
}

/** The result of each suite, from that of all, in which a test's first ancestor is its suite. */
function ofEach(suites, all, globalConfig) {
  return suites.map(({ path: file, context: { config } }, i) => {
    const testResults = all.testResults
      .filter(({ ancestorTitles }) => ancestorTitles[0] === file)
      .map((one) => ({
        ...one,
        ancestorTitles: one.ancestorTitles.slice(1),
        fullName: one.fullName.slice(file.length + 1),
      }));
    const count = (...states) => testResults.filter(({ status }) => states.includes(status)).length;
    const starts = testResults.flatMap(({ startAt }) => startAt ?? []);
    const start = starts.length > 0 ? Math.min(...starts) : all.perfStats.start;
    const end = Math.max(start, ...testResults.map((one) => (one.startAt ?? 0) + (one.duration ?? 0)));
    const runtime = end - start;
    // What belongs to no test, as an error after all of them, and what was printed, is told with the first suite.
    const error = i === 0 ? all.testExecError : undefined;
    const messages = [formatResultsErrors(testResults, config, globalConfig, file), error?.stack].filter(Boolean);
    return {
      ...all,
      testFilePath: file,
      testResults,
      console: i === 0 ? all.console : undefined,
      testExecError: error,
      failureMessage: messages.length > 0 ? messages.join('\n\n') : null,
      numPassingTests: count('passed'),
      numFailingTests: count('failed'),
      numPendingTests: count('pending'),
      numTodoTests: count('todo'),
      skipped: testResults.length > 0 && count('pending') === testResults.length,
      perfStats: { ...all.perfStats, start, end, runtime, slow: runtime / 1000 > config.slowTestThreshold },
    };
  });
}
