import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { compileMessages } from './apps/workspace/compile-messages.ts'

const resolve = { conditions: ['source'] }
const ssr = { resolve: { conditions: ['source', 'node'], externalConditions: ['source', 'node'] } }
/** Polling is patient: a busy machine is no failure. Time-outs end tests that hang; a test that passes does not get slower by them. */
const patient = { poll: { timeout: 60_000, interval: 50 } }

const packages = ['platform/*', 'services/*', 'sample', 'server', 'clients/*', 'apps/*']

/** Left to itself, Vitest keeps a core free; unit tests compute. */
const WORKERS = Math.min(8, Math.max(2, availableParallelism()))

/** One more for those that wait: for a port, a time-out or a slow body. */
const UNIT_WORKERS = WORKERS + 1

/** Tests that talk to a server wait for most of their time: three for each core keep it busy. */
const WAITING_WORKERS = Math.min(8, Math.max(2, 3 * availableParallelism()))

/**
 * The projects run one after the other, the files of each side by side.
 * Files share workers: nothing that they import keeps state between them, and starting a worker for each took a third to half of the processor's time.
 * `.test.ts` beside its file needs nothing, `.pg.test.ts` in a package's `test/` a Postgres (one embedded cluster for the run); `tests/*` a whole server each.
 */
export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        ssr,
        plugins: [compileMessages()],
        test: {
          name: 'unit',
          isolate: false,
          maxWorkers: UNIT_WORKERS,
          setupFiles: ['tests/support/src/seed-fast-check.ts'],
          sequence: { groupOrder: 0 },
          testTimeout: 60_000, // a property on a busy machine
          include: [...packages.map((folder) => `${folder}/src/**/*.test.{ts,tsx}`), 'scripts/*.test.ts'],
          exclude: ['**/dist/**'],
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'pg',
          isolate: false,
          expect: patient,
          maxWorkers: WAITING_WORKERS,
          setupFiles: ['tests/support/src/seed-fast-check.ts'],
          sequence: { groupOrder: 1 },
          include: packages.map((folder) => `${folder}/test/**/*.pg.test.ts`),
          exclude: ['**/dist/**'],
          globalSetup: ['tests/support/src/global-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 240_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'conformance',
          isolate: false,
          expect: patient,
          maxWorkers: WAITING_WORKERS,
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
          isolate: false,
          expect: patient,
          setupFiles: ['tests/support/src/seed-fast-check.ts'],
          sequence: { groupOrder: 3 },
          include: ['tests/fault/src/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 240_000,
          maxWorkers: WORKERS,
        },
      },
    ],
  },
})
