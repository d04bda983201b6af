import { availableParallelism, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { compileMessages } from './apps/workspace/compile-messages.ts'
import { LongFilesFirst } from './scripts/long-files-first.ts'
import { keepTemporaryFilesInMemory } from './tests/support/src/temporary-files.ts'

keepTemporaryFilesInMemory()
// Workers and the servers that tests start load the same packages again and again.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), `holdfast-compile-cache-${userInfo().uid}`)

const resolve = { conditions: ['source'] }
const ssr = { resolve: { conditions: ['source', 'node'], externalConditions: ['source', 'node'] } }
/** The condition `source` is for our own packages: these name sources that they do not bring, so their built files are named here. */
const REACT_ARIA = /\/node_modules\/(react-aria|react-aria-components|react-stately|@internationalized)\//
const BUILT = [
  {
    find: /^(react-aria|react-aria-components|react-stately)\/(?!i18n)(.+)$/,
    replacement: `${import.meta.dirname}/node_modules/$1/dist/exports/$2.mjs`,
  },
  {
    find: /^@internationalized\/(\w+)$/,
    replacement: `${import.meta.dirname}/node_modules/@internationalized/$1/dist/index.mjs`,
  },
]
/** Polling is patient: a busy machine is no failure. Time-outs end tests that hang; a test that passes does not get slower by them. */
const patient = { poll: { timeout: 60_000, interval: 50 } }

const packages = ['platform/*', 'services/*', 'sample', 'server', 'clients/*', 'apps/*']

/** Left to itself, Vitest keeps a core free; unit tests compute. */
const WORKERS = Math.min(8, Math.max(2, availableParallelism()))

/** One more for those that wait: for a port, a time-out, a slow body or a server that starts again. */
const UNIT_WORKERS = WORKERS + 1

/** Tests that talk to Postgres wait for most of their time: three for each core keep it busy. */
const WAITING_WORKERS = Math.min(8, Math.max(2, 3 * availableParallelism()))

/** Tests of whole servers compute more and wait less: six on two cores took a quarter longer than three. */
const SERVER_WORKERS = Math.min(8, Math.max(2, Math.ceil(1.5 * availableParallelism())))

/** Tests that put other modules in the place of ours. */
const MOCKS = 'services/*/test/*.mocks.pg.test.ts'

/** An embedded cluster for each worker. */
const postgresTests = {
  expect: patient,
  maxWorkers: WAITING_WORKERS,
  setupFiles: ['tests/support/src/seed-fast-check.ts'],
  sequence: { groupOrder: 1 },
  include: packages.map((folder) => `${folder}/test/**/*.pg.test.ts`),
  globalSetup: ['tests/support/src/global-setup.ts'],
  testTimeout: 300_000,
  hookTimeout: 240_000,
}

/**
 * First the unit tests, then those that wait for Postgres, those of whole servers, and those that kill servers; within a project files run side by side, the longest first.
 * Files share workers: nothing that they import keeps state between them, and a worker for each took a third of the processor's time of `unit` and `pg`, and a fifth of that
 * of `conformance`. Those that make this process a browser or change its clock put it back. Those that put other modules in the place of ours (`.mocks.pg.test.ts`) have a
 * worker each.
 * `.test.ts` beside its file needs nothing, `.pg.test.ts` in a package's `test/` a Postgres (an embedded cluster for each worker); `tests/*` a whole server each.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFilesFirst },
    /** Of this process and its workers. Files that no test loads count as well; so does a run that failed. */
    coverage: {
      provider: 'v8',
      include: packages.map((folder) => `${folder}/src/**/*.{ts,tsx}`),
      exclude: ['**/*.test-support.{ts,tsx}', '**/*.d.ts'],
      reporter: ['json-summary'],
      reportsDirectory: '.cache/reports/coverage',
      reportOnFailure: true,
    },
    projects: [
      {
        resolve: { ...resolve, alias: BUILT },
        ssr,
        plugins: [compileMessages()],
        test: {
          name: 'unit',
          server: { deps: { inline: [REACT_ARIA] } },
          isolate: false,
          maxWorkers: UNIT_WORKERS,
          setupFiles: ['tests/support/src/seed-fast-check.ts'],
          sequence: { groupOrder: 0 },
          testTimeout: 60_000, // a property on a busy machine
          hookTimeout: 60_000, // opening a device on a busy machine
          include: [...packages.map((folder) => `${folder}/src/**/*.test.{ts,tsx}`), 'scripts/*.test.ts'],
          exclude: ['**/dist/**'],
        },
      },
      { resolve, ssr, test: { ...postgresTests, name: 'pg', isolate: false, exclude: ['**/dist/**', MOCKS] } },
      {
        resolve,
        ssr,
        test: { ...postgresTests, name: 'pg-mocks', include: [MOCKS], exclude: ['**/{dist,node_modules}/**'] },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'conformance',
          server: { deps: { inline: [/@powersync\/react-native/] } }, // is built for Metro, without file extensions
          expect: patient,
          isolate: false,
          maxWorkers: SERVER_WORKERS,
          setupFiles: ['tests/support/src/seed-fast-check.ts'],
          sequence: { groupOrder: 2 },
          include: ['tests/conformance/src/**/*.test.ts', 'clients/testing/test/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 240_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'fault',
          expect: patient,
          isolate: false,
          setupFiles: ['tests/support/src/seed-fast-check.ts'],
          sequence: { groupOrder: 3 },
          include: ['tests/fault/src/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 240_000,
          maxWorkers: UNIT_WORKERS,
        },
      },
    ],
  },
})
