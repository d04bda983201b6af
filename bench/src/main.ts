/** `npm run bench`: all benchmarks, or those whose names are given (`start`, `accounts`, `rest`, `enumeration`, `first-sync`, `latency`, `idle`). */
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { benchAccounts } from './accounts.bench.ts'
import { benchEnumeration } from './enumeration.bench.ts'
import { benchFirstSync } from './first-sync.bench.ts'
import { benchIdle } from './idle.bench.ts'
import { createItems } from './items.ts'
import { benchLatency } from './latency.bench.ts'
import { benchBulk, benchLogSize, benchSnapshot } from './log.bench.ts'
import { benchFairness, benchManyFirstSyncs, benchReconnectStorm } from './many-devices.bench.ts'
import { report, type Figure } from './report.ts'
import { benchRest } from './rest.bench.ts'
import { benchStart } from './start.bench.ts'

const FIRST_SYNC_ROWS = [10_000, 100_000, 500_000]

const onServer: Readonly<Record<string, (holdfast: Holdfast) => Promise<Figure[]>>> = {
  idle: async (holdfast) => [...(await benchIdle(holdfast, 1_000)), ...(await benchIdle(holdfast, 5_000))],
  bulk: (holdfast) => benchBulk(holdfast, 200_000),
  many: async (holdfast) => [
    ...(await benchManyFirstSyncs(holdfast, 10, 10_000)),
    ...(await benchManyFirstSyncs(holdfast, 50, 10_000)),
  ],
  storm: (holdfast) => benchReconnectStorm(holdfast, 1_000),
  fair: (holdfast) => benchFairness(holdfast, 8, 200_000),
  latency: async (holdfast) => [
    ...(await benchLatency(holdfast, { devices: 100, rate: 10, seconds: 15 })),
    ...(await benchLatency(holdfast, { devices: 100, rate: 100, seconds: 15 })),
    ...(await benchLatency(holdfast, { devices: 100, rate: 500, seconds: 10 })),
  ],
  'first-sync': (holdfast) => benchFirstSync(holdfast, FIRST_SYNC_ROWS),
}

const wanted = process.argv.slice(2)
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)

if (isWanted('start')) report(await benchStart())
if (isWanted('accounts')) report(await benchAccounts())
if (isWanted('rest')) {
  await using holdfast = await openHoldfast()
  report(await benchRest(holdfast))
}
if (isWanted('enumeration')) report(await benchEnumeration())
if (isWanted('snapshot')) report(await benchSnapshot(1_000_000))
if (isWanted('log-size')) report(await benchLogSize(50_000, 500_000))
const names = Object.keys(onServer).filter(isWanted)
if (names.length > 0) {
  await using holdfast = await openHoldfast()
  await createItems(holdfast.admin)
  for (const name of names) report((await onServer[name]?.(holdfast)) ?? [])
}
