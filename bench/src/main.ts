/**
 * `npm run bench`: all benchmarks, or those whose names are given; `sync` stands for all that sync has to show, and ends with one table. The names are the keys
 * below. `--share=0.01` runs them at a hundredth of their size, to see that they run. `compare A B` runs them on two commits in turns;
 * `costs A B` compares the processor time of REST requests.
 */
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { benchAccounts } from './accounts.bench.ts'
import { benchApp } from './app.bench.ts'
import { names as given, numberOption, options } from './arguments.ts'
import { compare } from './compare.ts'
import { compareCosts } from './costs.ts'
import { benchEnumeration } from './enumeration.bench.ts'
import { benchFirstSync } from './first-sync.bench.ts'
import { benchFunctions } from './functions.bench.ts'
import { benchIdle, createManyTables } from './idle.bench.ts'
import { INSPECTOR_OPTION } from './inspector.ts'
import { createItems } from './items.ts'
import { benchLargeRows } from './large-rows.bench.ts'
import { benchLarge } from './large.bench.ts'
import { benchLatency } from './latency.bench.ts'
import { benchBulk, benchLogSize, benchSnapshot } from './log.bench.ts'
import { benchFairness, benchManyFirstSyncs, benchReconnectStorm } from './many-devices.bench.ts'
import { benchRecovery } from './recovery.bench.ts'
import { benchRealtime } from './realtime.bench.ts'
import { printTable, report, type Figure } from './report.ts'
import { benchRest } from './rest.bench.ts'
import { benchMigration, benchSchemaStorm } from './schema-changes.bench.ts'
import { benchSharedList } from './shared-list.bench.ts'
import { benchServers } from './servers.bench.ts'
import { sized } from './size.ts'
import { benchSharedKeys } from './shared-keys.bench.ts'
import { benchStart } from './start.bench.ts'
import { benchStoppedReaders } from './stopped-readers.bench.ts'
import { benchStorage } from './storage.bench.ts'
import { benchWriteCheckpoint } from './write-checkpoint.bench.ts'

const FIRST_SYNC_ROWS = [10_000, 100_000, 500_000].map(sized)
const IDLE_TABLES = 56
const DEVICES_TOGETHER = [10, 50].map(sized)

/** Benchmarks that start servers of their own. */
const alone: Readonly<Record<string, () => Promise<Figure[]>>> = {
  start: benchStart,
  app: () => benchApp(Math.round(numberOption('rows', sized(100_000)))),
  large: () => benchLarge(sized(1_000_000)),
  accounts: benchAccounts,
  rest: async () => {
    await using holdfast = await openHoldfast()
    return await benchRest(holdfast)
  },
  storage: async () => {
    await using holdfast = await openHoldfast({ args: ['--storage-file-size-limit=200MB'] })
    return await benchStorage(holdfast)
  },
  enumeration: benchEnumeration,
  functions: benchFunctions,
  realtime: benchRealtime,
  recovery: benchRecovery,
  migration: benchMigration,
  'schema-storm': benchSchemaStorm,
  snapshot: () => benchSnapshot(sized(1_000_000)),
  'shared-keys': async () => {
    await using holdfast = await openHoldfast()
    return await benchSharedKeys(holdfast, sized(3_000), sized(20_000))
  },
  'idle-tables': async () => {
    await using holdfast = await openHoldfast()
    await createItems(holdfast.admin)
    await createManyTables(holdfast, IDLE_TABLES)
    return await benchIdle(holdfast, sized(1_000), IDLE_TABLES)
  },
  servers: benchServers,
  'log-size': () => benchLogSize(sized(50_000), sized(500_000)),
}

/** Benchmarks that share a server, in this order: memory first, before others have grown the heap. */
const onServer: Readonly<Record<string, (holdfast: Holdfast) => Promise<Figure[]>>> = {
  idle: async (holdfast) => [
    ...(await benchIdle(holdfast, sized(1_000))),
    ...(await benchIdle(holdfast, sized(5_000))),
  ],
  latency: async (holdfast) => [
    ...(await benchLatency(holdfast, { devices: sized(100), rate: 10, seconds: sized(15) })),
    ...(await benchLatency(holdfast, { devices: sized(100), rate: 100, seconds: sized(15) })),
    ...(await benchLatency(holdfast, { devices: sized(100), rate: 500, seconds: sized(10) })),
  ],
  'write-checkpoint': (holdfast) => benchWriteCheckpoint(holdfast, sized(100)),
  storm: (holdfast) => benchReconnectStorm(holdfast, sized(1_000)),
  bulk: (holdfast) => benchBulk(holdfast, sized(200_000)),
  'large-rows': async (holdfast) => [
    ...(await benchLargeRows(holdfast, { bytes: 100_000, rows: sized(200), devices: sized(10) })),
    ...(await benchLargeRows(holdfast, { bytes: 1_000_000, rows: sized(20), devices: sized(10) })),
  ],
  many: async (holdfast) => [
    ...(await benchManyFirstSyncs(holdfast, sized(10), sized(10_000))),
    ...(await benchManyFirstSyncs(holdfast, sized(50), sized(10_000))),
  ],
  fair: (holdfast) => benchFairness(holdfast, sized(8), sized(200_000)),
  'stopped-readers': (holdfast) => benchStoppedReaders(holdfast, sized(20), sized(200_000)),
  'first-sync': (holdfast) => benchFirstSync(holdfast, FIRST_SYNC_ROWS, DEVICES_TOGETHER),
  shared: (holdfast) => benchSharedList(holdfast, { devices: sized(100), rate: 10, seconds: sized(15) }),
}

const SYNC = ['snapshot', 'idle', 'latency', 'write-checkpoint', 'storm', 'bulk', 'many', 'first-sync', 'shared']

const all: Figure[] = []

/** Runs one benchmark and prints its figures and its duration, or why it could not be measured. @returns whether it could be measured */
async function measure(name: string, bench: () => Promise<Figure[]>): Promise<boolean> {
  const began = performance.now()
  try {
    const figures = await bench()
    report(figures)
    all.push(...figures)
    console.error(`# ${name}: ${((performance.now() - began) / 1_000).toFixed(1)} s\n`)
    return true
  } catch (error) {
    console.error(`# ${name} failed:`, error)
    return false
  }
}

/** Runs the benchmarks of one server one after the other. @returns the names of those that failed */
async function measureOnServer(names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const failed: string[] = []
  await using holdfast = await openHoldfast()
  await createItems(holdfast.admin)
  for (const name of names) {
    if (!(await measure(name, async () => (await onServer[name]?.(holdfast)) ?? []))) failed.push(name)
  }
  return failed
}

/** @returns the names of those that failed */
async function measureAll(names: ReadonlySet<string>): Promise<string[]> {
  const failed: string[] = []
  for (const [name, bench] of Object.entries(alone)) {
    if (names.has(name) && !(await measure(name, bench))) failed.push(name)
  }
  return [...failed, ...(await measureOnServer(Object.keys(onServer).filter((name) => names.has(name))))]
}

/** Options with their descriptions. An unknown option is refused, so that a typo does not start an hour of measuring. */
const OPTIONS: Readonly<Record<string, string>> = {
  '--help': 'names what can be measured, and measures nothing',
  '--share=': 'a part of the full size: --share=0.01 shows that everything runs',
  '--rows=': 'of app: rows of its table, whatever the share is: --rows=100000 --share=0.2',
  '--pairs=': 'of compare and costs: how many',
  '--only=': 'of rest and costs: cases whose names contain the word; of realtime: parts',
  '--alone': 'of rest: without what it is compared with',
}

const known = [...Object.keys(alone), ...Object.keys(onServer)]

function printHelp(): void {
  const lines = [
    'npm run bench -- [NAME …] [OPTION …]          all, or the named ones',
    'npm run bench -- compare A B NAME … [OPTION …]  on two commits in turns',
    'npm run bench -- costs A B [OPTION …]           processor time of REST requests on two commits',
    '',
    `Names: sync, ${known.join(', ')}`,
    '',
    ...Object.entries(OPTIONS).map(([option, meaning]) => `${option.padEnd(10)} ${meaning}`),
  ]
  console.log(lines.join('\n'))
}

function assertOptions(): void {
  for (const option of options) {
    const isKnown = Object.keys(OPTIONS).some((one) => (one.endsWith('=') ? option.startsWith(one) : option === one))
    if (!isKnown) throw new Error(`there is no option "${option}"; --help names those that there are`)
  }
}

/**
 * A benchmark that fails does not affect the figures of others, and is repeated once at the end, as tests are: failures because of a busy machine pass then,
 * defects fail again.
 */
async function runBenchmarks(): Promise<void> {
  const wanted = new Set(given.length === 0 ? known : given.flatMap((name) => (name === 'sync' ? SYNC : [name])))
  for (const name of wanted) {
    if (!known.includes(name)) throw new Error(`there is no benchmark "${name}"; there are sync, ${known.join(', ')}`)
  }
  process.env['HOLDFAST_SERVER_NODE_OPTIONS'] =
    `${INSPECTOR_OPTION} ${process.env['HOLDFAST_SERVER_NODE_OPTIONS'] ?? ''}`

  const failed = await measureAll(wanted)
  if (failed.length > 0) console.error(`# once more: ${failed.join(', ')}`)
  const failedTwice = await measureAll(new Set(failed))
  if (given.includes('sync')) printTable(all)
  if (failedTwice.length > 0) {
    console.error(`# failed: ${failedTwice.join(', ')}`)
    process.exitCode = 1
  }
}

assertOptions()
const [command, ...rest] = given
if (options.includes('--help')) printHelp()
else if (command === 'compare') await compare(rest)
else if (command === 'costs') await compareCosts(rest)
else await runBenchmarks()
