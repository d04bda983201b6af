/**
 * Runs the fast checks, two at a time, and prints the duration of each: format, lint, types, public types, dead code, layers, classes, dependencies, docs,
 * compatibility pages. Runs all of them; the exit code is 0 if all passed.
 */
import { runCaptured } from './run.ts'

interface Check {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** A check that must finish first, because this one reads its output. */
  readonly after?: string
}

/** Longest first, to keep both lanes busy. */
const CHECKS: readonly Check[] = [
  { name: 'types', command: 'tsc', args: ['-b'] },
  { name: 'compatibility pages', command: 'node', args: ['scripts/write-compatibility.ts', '--check'] },
  { name: 'types of tests', command: 'tsc', args: ['-p', 'tsconfig.tests.json'], after: 'types' },
  { name: 'public types', command: 'node', args: ['scripts/api-report.ts'], after: 'types' },
  { name: 'dead code', command: 'knip', args: [] },
  { name: 'lint', command: 'oxlint', args: ['--deny-warnings'] },
  { name: 'format', command: 'oxfmt', args: ['--check', '.'] },
  { name: 'layers', command: 'node', args: ['scripts/check-layers.ts'] },
  { name: 'classes', command: 'node', args: ['scripts/check-classes.ts'] },
  { name: 'dependencies', command: 'node', args: ['scripts/check-dependencies.ts'] },
  // npm checks engines against the Node it runs on. In npm scripts that is the repository's, which the packages also run on.
  { name: 'engines', command: 'npm', args: ['ci', '--dry-run', '--engine-strict', '--offline'] },
  { name: 'docs', command: 'node', args: ['scripts/check-docs.ts'] },
]
const LANES = 2

const ended = new Map<string, PromiseWithResolvers<void>>(CHECKS.map(({ name }) => [name, Promise.withResolvers()]))
const failed: string[] = []

async function runCheck({ name, command, args, after }: Check): Promise<void> {
  if (after !== undefined) await ended.get(after)?.promise
  const started = Date.now()
  const { code, output } = await runCaptured(command, args)
  ended.get(name)?.resolve()
  process.stderr.write(output)
  console.error(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
  if (code !== 0) failed.push(name)
}

const waiting = [...CHECKS]
async function runLane(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) await runCheck(check)
}
await Promise.all(Array.from({ length: LANES }, runLane))

if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`)
  process.exit(1)
}
