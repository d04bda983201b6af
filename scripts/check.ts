/**
 * The fast checks, each with its own time: format, lint, types, public types, dead code, layers,
 * dependencies, docs, compatibility pages, unit tests. All run; the exit code tells whether all
 * passed. `--no-tests` leaves out the unit tests, for a run that has them already.
 */
import { run } from './run.ts'

const checks: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['format', 'oxfmt', '--check', '.'],
  ['lint', 'oxlint', '--deny-warnings'],
  ['types', 'tsc', '-b'],
  ['public types', 'node', 'scripts/api-report.ts'],
  ['types of tests', 'tsc', '-p', 'tsconfig.tests.json'],
  ['dead code', 'knip'],
  ['layers', 'node', 'scripts/check-layers.ts'],
  ['dependencies', 'node', 'scripts/check-dependencies.ts'],
  ['docs', 'node', 'scripts/check-docs.ts'],
  ['compatibility pages', 'node', 'scripts/write-compatibility.ts', '--check'],
  ['unit tests', 'vitest', 'run', '--project', 'unit', '--silent=passed-only'],
]

const withTests = !process.argv.includes('--no-tests')
const failed: string[] = []
for (const [name, command, ...args] of checks) {
  if (name === 'unit tests' && !withTests) continue
  const started = Date.now()
  const code = await run(command, args)
  console.error(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
  if (code !== 0) failed.push(name)
}
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`)
  process.exit(1)
}
