/**
 * The part of the tests that a run covers. `core`: unit, Postgres and conformance tests and the journeys tagged `@core`. `rest`: everything else, and never a test of
 * `core`. `all`: both.
 */
export type Scope = 'core' | 'rest' | 'all'

/** Vitest projects per scope; their definitions are in `vitest.config.ts`. */
export const PROJECTS: Readonly<Record<Scope, readonly string[]>> = {
  core: ['unit', 'pg', 'pg-mocks', 'conformance'],
  rest: ['fault'],
  all: ['unit', 'pg', 'pg-mocks', 'conformance', 'fault'],
}

export interface TestCommand {
  readonly scope: Scope
  readonly withBrowser: boolean
  /** Whether to measure the coverage of Vitest's tests. */
  readonly withCoverage: boolean
  /** Arguments for Vitest. Empty: all files of the scope. */
  readonly vitest: readonly string[]
}

/** Parses the command line of `scripts/test.ts`; arguments it does not know are Vitest's. */
export function parseTestCommand(args: readonly string[]): TestCommand {
  const scope: Scope = args.includes('--all') ? 'all' : args.includes('--rest') ? 'rest' : 'core'
  return {
    scope,
    withBrowser: !args.includes('--no-browser'),
    withCoverage: args.includes('--coverage'),
    vitest: args.filter((argument) => !['--all', '--rest', '--no-browser', '--coverage'].includes(argument)),
  }
}
