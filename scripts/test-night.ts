/**
 * Runs the random tests of sync at length: at least 2,000 histories, with seeds derived from the printed one; then all tests and browser journeys without
 * retries, and every benchmark at small size, so that none stops working unnoticed.
 * `HOLDFAST_EXAMPLES` names a folder with checkouts of public example projects to run.
 * `--seed=N` repeats a night, `--only=histories,faults` runs some parts, `--share=0.1` a tenth. A failed part does not end the night; all failures are listed
 * at the end with the commands to repeat them.
 */
import { ensureChromium } from './chromium.ts'
import { run } from './run.ts'

interface Part {
  readonly name: string
  readonly project: 'unit' | 'pg' | 'conformance' | 'fault' | 'browser' | 'examples' | 'bench' | 'all'
  readonly files: readonly string[]
  /** Variables that set the amount of work, with their value for a full night. */
  readonly counts: Readonly<Record<string, number>>
  readonly seed: string
}

const SYNC = 'services/sync/test'

/** 1,200 + 1,000 + 600 + 200 + 200 histories, and more. */
const PARTS: readonly Part[] = [
  {
    name: 'histories',
    project: 'pg',
    files: [`${SYNC}/histories.pg.test.ts`, `${SYNC}/class-histories.pg.test.ts`],
    counts: { HOLDFAST_HISTORIES: 1_000 },
    seed: 'HOLDFAST_HISTORY_SEED',
  },
  {
    name: 'floods',
    project: 'pg',
    files: [`${SYNC}/flood-histories.pg.test.ts`],
    counts: { HOLDFAST_FLOOD_HISTORIES: 200 },
    seed: 'HOLDFAST_HISTORY_SEED',
  },
  {
    name: 'policies',
    project: 'pg',
    files: [`${SYNC}/policy-histories.pg.test.ts`],
    counts: { HOLDFAST_POLICY_HISTORIES: 600 },
    seed: 'HOLDFAST_HISTORY_SEED',
  },
  {
    name: 'pairs',
    project: 'pg',
    files: [`${SYNC}/pair-histories.pg.test.ts`],
    counts: { HOLDFAST_PAIR_HISTORIES: 40, HOLDFAST_PAIR_STEPS: 40 },
    seed: 'HOLDFAST_PAIR_SEED',
  },
  {
    name: 'clocks',
    project: 'pg',
    files: [`${SYNC}/random-clocks.pg.test.ts`],
    counts: { HOLDFAST_CLOCK_HISTORIES: 100 },
    seed: 'HOLDFAST_CLOCK_SEED',
  },
  {
    name: 'streams',
    project: 'pg',
    files: [`${SYNC}/stream-histories.pg.test.ts`],
    counts: { HOLDFAST_STREAM_HISTORIES: 200 },
    seed: 'HOLDFAST_HISTORY_SEED',
  },
  {
    name: 'keys',
    project: 'pg',
    files: [`${SYNC}/keys.property.pg.test.ts`],
    counts: { HOLDFAST_KEYS_RUNS: 200 },
    seed: 'HOLDFAST_KEYS_SEED',
  },
  {
    name: 'values',
    project: 'pg',
    files: [`${SYNC}/values.property.pg.test.ts`],
    counts: { HOLDFAST_VALUES_ROWS: 2_000 },
    seed: 'HOLDFAST_VALUES_SEED',
  },
  {
    name: 'uploads',
    project: 'pg',
    files: [`${SYNC}/upload/apply-run.property.pg.test.ts`],
    counts: { HOLDFAST_TOGETHER_RUNS: 300 },
    seed: 'HOLDFAST_SEED',
  },
  {
    name: 'plans',
    project: 'pg',
    files: ['platform/policy/test/follow-policies.property.pg.test.ts'],
    counts: { HOLDFAST_POLICY_RUNS: 3_000 },
    seed: 'HOLDFAST_POLICY_SEED',
  },
  {
    name: 'outbox',
    project: 'unit',
    files: ['clients/client/src/upload/upload-queue.model.test.ts'],
    counts: { HOLDFAST_OUTBOX_RUNS: 2_000 },
    seed: 'HOLDFAST_SEED',
  },
  {
    name: 'redirects',
    project: 'unit',
    files: ['services/auth/src/redirects/redirect-policy-hosts.test.ts'],
    counts: { HOLDFAST_REDIRECT_RUNS: 100_000 },
    seed: 'HOLDFAST_SEED',
  },
  {
    name: 'compaction',
    project: 'pg',
    files: [`${SYNC}/storage/compactor.pg.test.ts`],
    counts: { HOLDFAST_COMPACTION_RUNS: 2_000 },
    seed: 'HOLDFAST_SEED',
  },
  {
    name: 'equality',
    project: 'conformance',
    files: ['tests/conformance/src/sync-equality.test.ts'],
    counts: { HOLDFAST_ROUNDS: 40, HOLDFAST_STEPS: 60 },
    seed: 'HOLDFAST_SEED',
  },
  {
    name: 'wire',
    project: 'conformance',
    files: ['tests/conformance/src/sync-wire.test.ts'],
    counts: { HOLDFAST_STEPS: 600 },
    seed: 'HOLDFAST_SEED',
  },
  {
    name: 'slow links',
    project: 'conformance',
    files: ['tests/conformance/src/sync-slow-link.test.ts'],
    counts: { HOLDFAST_SLOW_LINKS: 1 },
    seed: 'HOLDFAST_SEED',
  },
  {
    name: 'faults',
    project: 'fault',
    files: ['tests/fault/src'],
    counts: { HOLDFAST_FAULTS: 20, HOLDFAST_KILLS: 20 },
    seed: 'HOLDFAST_SEED',
  },
  {
    name: 'suite',
    project: 'all',
    files: [],
    counts: { HOLDFAST_QUEUE: 2_000, HOLDFAST_REFRESH_ROUNDS: 1_000, HOLDFAST_NAME_RUNS: 20_000 },
    seed: 'HOLDFAST_SEED',
  },
  {
    name: 'changes',
    project: 'pg',
    files: ['services/realtime/test/changes/changes.property.pg.test.ts'],
    counts: { HOLDFAST_CHANGES_HISTORIES: 200 },
    seed: 'HOLDFAST_CHANGES_SEED',
  },
  {
    name: 'channel-kills',
    project: 'conformance',
    files: ['tests/conformance/src/realtime-restarts.test.ts'],
    counts: { HOLDFAST_CHANGES_KILLS: 100 },
    seed: 'HOLDFAST_SEED',
  },
  {
    name: 'journeys',
    project: 'browser',
    files: ['tests/e2e/src'],
    counts: {
      HOLDFAST_CLOSED_TABS: 200,
      HOLDFAST_FLAKY_EDITS: 500,
      HOLDFAST_PASTE: 600,
      HOLDFAST_PHOTOS: 100,
      HOLDFAST_DAY_CAPTURES: 300,
      HOLDFAST_DAY_BAD_LINE_S: 600,
      HOLDFAST_DAY_SLOWDOWN: 4,
    },
    seed: 'HOLDFAST_SEED',
  },
  { name: 'benchmarks', project: 'bench', files: [], counts: {}, seed: 'HOLDFAST_SEED' },
  {
    name: 'comparison',
    project: 'bench',
    files: ['compare', 'HEAD', '.', 'write-checkpoint', '--pairs=1'],
    counts: {},
    seed: 'HOLDFAST_SEED',
  },
  { name: 'examples', project: 'examples', files: [], counts: {}, seed: 'HOLDFAST_SEED' },
]

/** Variable with a folder of checkouts, containing example projects that run unchanged. */
const CHECKOUTS = 'HOLDFAST_EXAMPLES'

/** Ordinary runs retry a failed file or journey, because the machine is busy with other tests; a night does not. */
function commandOf({ project, files }: Part): readonly [string, ...string[]] {
  if (project === 'all') return ['vitest', 'run']
  if (project === 'bench') return ['node', 'bench/src/main.ts', ...files, '--share=0.01']
  if (project === 'examples') return ['playwright', 'test', '--config', 'tests/e2e/examples.config.ts']
  return project === 'browser'
    ? ['playwright', 'test', '--config', 'tests/e2e/playwright.config.ts', '--fail-on-flaky-tests', ...files]
    : ['vitest', 'run', '--project', project, ...files]
}

function option(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3)
}

const seed = Number(option('seed') ?? Date.now() % 1_000_000_000)
const share = Number(option('share') ?? 1)
const only = option('only')?.split(',')
const named = PARTS.filter(({ name }) => only === undefined || only.includes(name))
const lacksCheckouts = (process.env[CHECKOUTS] ?? '') === ''
const chosen = named.filter(({ project }) => !(project === 'examples' && lacksCheckouts))
if (chosen.length < named.length)
  console.log(`skipped: examples, since ${CHECKOUTS} names no folder of checkouts of other repositories`)
if (!Number.isInteger(seed) || !(share > 0) || named.length === 0) {
  console.error(
    `usage: npm run test:night -- [--seed=N] [--share=0.1] [--only=${PARTS.map(({ name }) => name).join()}]`,
  )
  process.exit(2)
}

/** The benchmark of the app opens pages as well. */
const isInBrowser = ({ project }: Part): boolean => ['browser', 'examples', 'bench'].includes(project)
const hasJourneys = chosen.some(isInBrowser)
const built = await run('node', ['scripts/build-if-stale.ts', ...(hasJourneys ? ['--with-test-support'] : [])])
if (built !== 0) process.exit(built)
const chromium = hasJourneys ? { CHROMIUM_PATH: await ensureChromium() } : {}

const failed: string[] = []
for (const part of chosen) {
  const counts = Object.entries(part.counts).map(([name, count]) => [name, String(Math.ceil(count * share))] as const)
  const env = { HOLDFAST_NIGHT: '1', [part.seed]: String(seed), ...Object.fromEntries(counts) }
  const repeat = Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
  console.log(`\n${part.name}: ${repeat}`)
  const started = Date.now()
  const [command, ...args] = commandOf(part)
  const code = await run(command, args, isInBrowser(part) ? { ...env, ...chromium } : env)
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${part.name} (${((Date.now() - started) / 1000).toFixed(0)} s)`)
  if (code !== 0) failed.push(`${repeat} ${commandOf(part).join(' ')}`)
}
console.log(`\n${chosen.length - failed.length} of ${chosen.length} parts passed, seed ${seed}`)
for (const command of failed) console.log(`failed: ${command}`)
process.exit(failed.length > 0 ? 1 : 0)
