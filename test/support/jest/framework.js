import runner from 'jest-circus/runner';

const circus = runner.default;

/**
 * What runs the tests of a suite: jest's own, which gets several suites from `runner.js`. Each is a block of tests, empty at first: its file is
 * loaded when its turn comes, after all tests of the one before, and what that one put in the place of something is put back.
 */
export default async function framework(globalConfig, config, environment, runtime, file, tell) {
  const { suites } = config.testEnvironmentOptions;
  if (!suites) return circus(globalConfig, config, environment, runtime, file, tell);
  const load = runtime.unstable_importModule.bind(runtime);
  runtime.unstable_importModule = async (wanted) => {
    if (wanted !== file) return load(wanted);
    for (const suite of suites) environment.global.describe(suite, () => undefined);
    return undefined;
  };
  const { env } = environment.global.process;
  const variables = { ...env };
  environment.handleTestEvent = async ({ name, describeBlock }, state) => {
    if (!describeBlock?.parent || describeBlock.parent !== state.rootDescribeBlock) return;
    if (name === 'run_describe_start') {
      state.currentDescribeBlock = describeBlock;
      state.hasStarted = false;
      try {
        await load(describeBlock.name);
      } catch (error) {
        environment.global.test('is loaded', () => {
          throw error;
        });
      }
      if (describeBlock.children.length === 0) environment.global.test('has tests', () => expectTests(describeBlock));
      state.hasStarted = true;
    } else if (name === 'run_describe_finish') {
      runtime.restoreAllMocks();
      environment.fakeTimersModern.useRealTimers();
      for (const key of Object.keys(env)) if (!(key in variables)) delete env[key];
      Object.assign(env, variables);
    }
  };
  return circus(globalConfig, config, environment, runtime, file, tell);
}

function expectTests({ name }) {
  throw new Error(`${name} must contain at least one test.`);
}
