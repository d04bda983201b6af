import type { SyncStatus, TableFill } from '@holdfast/sync'
import { projectTablesFirst } from './project-tables.ts'

/**
 * Renders the sync status for humans.
 *
 * @param all - whether to include unproblematic tables of Holdfast
 */
export function renderStatus(status: SyncStatus, all: boolean): string {
  const { reader, checkpoint, slot, definitions, devices, log, compaction } = status
  const { refusedStreams } = status
  const filling = projectTablesFirst(status.filling, { all }).shown
  // Tables without policies are not meant for devices; Holdfast has some.
  const refused = projectTablesFirst(status.refused, { all, isProblem: ({ policy }) => policy !== undefined })
  const [failing, leftOut, leftOutClasses] = [
    projectTablesFirst(status.failing, { all: true }).shown,
    projectTablesFirst(status.leftOut, { all: true }).shown,
    projectTablesFirst(status.leftOutClasses, { all: true }).shown,
  ]
  const lines: (readonly [title: string, text: string])[] = [
    [
      'sync',
      status.ready
        ? 'serving devices'
        : `NOT READY: ${reader.problem ?? 'devices wait until all tables have been read'}`,
    ],
    ['reader', `${reader.state}${reader.problem === undefined ? '' : `: ${reader.problem}`}`],
    ...status.servers.map((server): readonly [string, string] => ['server', renderServer(server, status.server)]),
    ...(status.replica ? [['replica', renderReplica(status.replica)] as const] : []),
    ['behind', `${bytes(slot.lagBytes)}, ${reader.lagSeconds} s`],
    [
      'checkpoint',
      `operation ${checkpoint.opId} at ${checkpoint.position}${checkpoint.lastCommitAt === undefined ? '' : `, last change of ${checkpoint.lastCommitAt}`}`,
    ],
    ['slot', renderSlot(slot)],
    ...filling.map((fill): readonly [string, string] => ['reading', renderFill(fill)]),
    [
      'definitions',
      `${count(definitions.served)} served, ${count(definitions.waiting)} waiting for their rows, ${count(definitions.dropped)} to be deleted`,
    ],
    [
      'devices',
      `${count(devices.connected)} connected, of ${count(devices.people)} people; keys asked for ${count(devices.keyEvaluations)} times since the start`,
    ],
    [
      'log',
      `${count(log.operations)} operations${log.rows === undefined ? '' : `, about ${count(log.rows)} of them rows`}, in ${count(log.buckets)} buckets`,
    ],
    [
      'size',
      `${bytes(log.bytes)}, the synced tables ${bytes(log.sourceBytes)}${log.ratio === undefined ? '' : ` (${log.ratio} : 1)`}${renderLocked(log.locked)}`,
    ],
    ['compaction', renderCompaction(compaction)],
  ]
  const width = Math.max(...lines.map(([title]) => title.length))
  return [
    ...lines.map(([title, text]) => `${title.padEnd(width)}  ${text}`),
    ...(leftOutClasses.length > 0 ? ['', 'Tables of which some rows do not sync'] : []),
    ...leftOutClasses.flatMap(renderLeftOutClasses),
    ...(leftOut.length > 0 ? ['', 'People who do not get all of a table'] : []),
    ...leftOut.map(
      ({ person, table, policy, buckets, through, authors }) =>
        `  ${person}: ${table}${policy === undefined ? '' : ` by policy "${policy}"`} is in ${count(buckets)} buckets or more, which do not fit on a device; ${renderAuthors(authors, through)}`,
    ),
    ...(refused.shown.length > 0 ? ['', 'Tables that do not sync'] : []),
    ...refused.shown.map(
      ({ table, policy, reason }) => `  ${table}: ${policy === undefined ? '' : `policy "${policy}": `}${reason}`,
    ),
    ...(refused.hidden === 0
      ? []
      : ['', `${refused.hidden} tables of Holdfast itself are not meant for devices; --all lists them.`]),
    ...(refusedStreams.length > 0 ? ['', 'Streams that cannot be followed'] : []),
    ...refusedStreams.map(({ stream, query, reason }) => `  ${stream}: ${reason} (${query.trim()})`),
    ...(failing.length > 0 ? ['', 'Policies that fail'] : []),
    ...failing.map(
      ({ table, of, reason, count: times, lastAt }) =>
        `  ${table}: for a ${of}, ${count(times)} times, last ${lastAt}: ${reason}`,
    ),
    '',
  ].join('\n')
}

function renderLocked(tables: readonly string[]): string {
  return tables.length === 0 ? '' : `, without ${tables.join(', ')}, which a transaction has locked`
}

function renderLeftOutClasses({
  table,
  policy,
  max,
  leftOut,
  authors,
}: SyncStatus['leftOutClasses'][number]): string[] {
  const what = `  ${table}${policy === undefined ? '' : ` by policy "${policy}"`}`
  const others = leftOut - authors.reduce((sum, author) => sum + author.leftOut, 0)
  return [
    ...authors.map(
      ({ author, leftOut: classes }) =>
        `${what}: ${count(classes)} or more access classes that ${author} brought above the share of one account (syncClassesPerPersonMax)`,
    ),
    ...(others > 0
      ? [
          `${what}: ${count(others)} or more access classes above the ${count(max)} that syncClassesMax allows; look at who wrote the newest rows`,
        ]
      : []),
  ]
}

function renderServer({ name, role, since, address }: SyncStatus['servers'][number], own: string): string {
  const where = name === own ? ', this one' : address === undefined ? '' : ` at ${address}`
  return `${name}${where}: ${role === 'reader' ? 'reads the changes' : 'follows'} since ${since}`
}

function renderAuthors(authors: SyncStatus['leftOut'][number]['authors'], through: readonly string[]): string {
  const rows = `rows of ${through.join(', ')}`
  if (authors.length === 0)
    return `look at who wrote their ${rows}: it was not through Holdfast, or while they were away`
  return `${rows} that concern them were written by ${authors.map((one) => `${one.author} (${count(one.rows)})`).join(', ')}`
}

function renderReplica({ used, lagSeconds, problem, reads }: NonNullable<SyncStatus['replica']>): string {
  const state = used
    ? `used, ${lagSeconds} s behind`
    : `NOT USED, it last had everything ${lagSeconds} s ago: ${problem?.replace(/\.$/, '')}`
  return `${state}; ${count(reads.replica)} reads from it since the start, ${count(reads.primary)} from the primary`
}

function renderSlot(slot: SyncStatus['slot']): string {
  if (slot.walStatus === undefined && slot.confirmed === undefined) return `${slot.name}, which is NOT THERE`
  return [
    slot.name,
    slot.active ? 'being read' : 'NOT BEING READ',
    ...(slot.confirmed === undefined ? [] : [`confirmed ${slot.confirmed}`]),
    ...(slot.keptBytes === undefined ? [] : [`Postgres keeps ${bytes(slot.keptBytes)} for it`]),
    ...(slot.walStatus === undefined || slot.walStatus === 'reserved' ? [] : [slot.walStatus]),
    ...(slot.invalidationReason === undefined ? [] : [`LOST: ${slot.invalidationReason}`]),
  ].join(', ')
}

function renderFill({ table, state, rowsRead, rowsTotal, rowsPerSecond, definitions }: TableFill): string {
  const share =
    rowsTotal === undefined || rowsTotal === 0 ? '' : ` (${Math.min(99, Math.floor((rowsRead / rowsTotal) * 100))} %)`
  const left =
    rowsTotal === undefined || rowsPerSecond === undefined || rowsPerSecond === 0
      ? ''
      : `, about ${duration(Math.max(0, rowsTotal - rowsRead) / rowsPerSecond)} left`
  const of = rowsTotal === undefined ? '' : ` of about ${count(rowsTotal)}`
  const rate = rowsPerSecond === undefined ? '' : `, ${count(rowsPerSecond)} rows/s`
  return `${table} for ${definitions.join(', ')}: ${state}, ${count(rowsRead)}${of} rows${share}${rate}${left}`
}

function renderCompaction({ intervalSeconds, last, sinceStart }: SyncStatus['compaction']): string {
  const every = intervalSeconds === 0 ? 'off' : `every ${intervalSeconds} s`
  const round =
    last === undefined
      ? 'no round yet'
      : `last ${new Date(last.endedAtMs).toISOString()}: ${count(last.dropped)} operations dropped in ${count(last.buckets)} buckets, ${last.ms} ms`
  return `${every}; ${round}; ${count(sinceStart.dropped)} dropped since the start`
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  if (seconds < 5_400) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3_600).toFixed(1)} h`
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function bytes(value: number): string {
  if (value < 10_000) return `${count(value)} bytes`
  if (value < 10_000_000) return `${count(value / 1_000)} KB`
  if (value < 10_000_000_000) return `${count(value / 1_000_000)} MB`
  return `${count(value / 1_000_000_000)} GB`
}
