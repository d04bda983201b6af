import { errorMessage } from '@holdfast/foundation'
import {
  READ_BYTES,
  isConnectionLoss,
  sqlstateOf,
  type PreparedStatement,
  type StatementConnection,
} from '@holdfast/postgres'
import { createLogConnections } from './log-connections.ts'
import { logReadFailed } from './log-read-failure.ts'
import { LOG_SETTINGS } from './log-settings.ts'

/** Consecutive operations of one bucket. */
export interface OpsSlice {
  readonly bucketId: number
  readonly count: number
  /** Whether more operations follow in the requested range. */
  readonly hasMore: boolean
  readonly lastOpId: number
  /** The bucket's floor and number of compaction steps when this was read. */
  readonly floor: number
  readonly compactions: number
  /** The documents of the operations, one or several whole ones per piece. */
  readonly docs: readonly Buffer[]
}

export interface ReadOpsInput {
  readonly wanted: readonly { readonly bucketId: number; readonly after: number }[]
  /** The last operation to read. */
  readonly upTo: number
  /** Limit per bucket. */
  readonly opsMax: number
  /** Approximate limit in bytes per bucket; at least one operation is read. */
  readonly bytesMax: number
  /** Whether this is one of many slices. It yields to streams with little to read, and leaves connections for them. */
  readonly isBulk?: boolean
  /** Whether large documents are expected. Each is then a separate row and piece. */
  readonly isLarge?: boolean
}

/** Reads operations of the log as bytes. */
export interface LogReader extends AsyncDisposable {
  /**
   * Reads operations of buckets after a position each, in ascending order: one slice per bucket, in request order. Postgres joins small documents, so a
   * thousand operations are one row; large ones are returned separately, because joining them costs several times as much as reading.
   */
  read(input: ReadOpsInput): Promise<OpsSlice[]>
}

/** Sums sizes before fetching: the length of a large document is known without reading it. */
const joined = (condition: string): string => `
  select w.bucket_id, x.ops, coalesce(x.last_op_id, 0), x.has_more::int, coalesce(b.floor, 0), coalesce(b.compactions, 0), coalesce(x.docs, ''::bytea)
    from unnest($1::int[], $2::bigint[]) with ordinality w (bucket_id, after, position)
    left join lateral (select floor, compactions from sync.buckets where id = w.bucket_id) b on true
   cross join lateral (
     select count(*) filter (where o.bytes_before < $5)::int as ops,
            max(o.op_id) filter (where o.bytes_before < $5) as last_op_id,
            count(*) = $4 or coalesce(bool_or(o.bytes_before >= $5), false) as has_more,
            string_agg(o.doc, ''::bytea order by o.op_id) filter (where o.bytes_before < $5) as docs
       from (select op_id, doc, sum(octet_length(doc)) over (order by op_id rows unbounded preceding) - octet_length(doc) as bytes_before
               from sync.ops
              where bucket_id = w.bucket_id and op_id > w.after and op_id <= $3::bigint
              order by op_id limit $4::bigint) o
   ) x
   ${condition}
   order by w.position`

/** Like {@link joined}, with one row per operation. The last one tells whether more follow. */
const single = (condition: string): string => `
  select w.bucket_id, (x.op_id is not null)::int, coalesce(x.op_id, 0), coalesce(x.has_next or x.number = $4, false)::int,
         coalesce(b.floor, 0), coalesce(b.compactions, 0), coalesce(x.doc, ''::bytea)
    from unnest($1::int[], $2::bigint[]) with ordinality w (bucket_id, after, position)
    left join lateral (select floor, compactions from sync.buckets where id = w.bucket_id) b on true
    left join lateral (
      select o.op_id, o.doc, o.has_next, o.number
        from (select op_id, doc,
                     sum(octet_length(doc)) over up_to - octet_length(doc) as bytes_before,
                     lead(op_id) over in_order is not null as has_next,
                     row_number() over in_order as number
                from sync.ops
               where bucket_id = w.bucket_id and op_id > w.after and op_id <= $3::bigint
              window in_order as (order by op_id), up_to as (in_order rows unbounded preceding)
               order by op_id limit $4::bigint) o
       where o.bytes_before < $5
    ) x on true
   ${condition}
   order by w.position, x.op_id`

const PARAMETER_TYPES = ['int[]', 'bigint[]', 'bigint', 'bigint', 'bigint']

/** @param condition - `where …`; buckets without it have no slice */
export const logStatements = (condition = ''): Readonly<Record<'joined' | 'single', PreparedStatement>> => ({
  joined: { text: joined(condition), parameterTypes: PARAMETER_TYPES },
  single: { text: single(condition), parameterTypes: PARAMETER_TYPES },
})

type LogConnection = Pick<StatementConnection<'joined' | 'single'>, 'run'>

/** Timeout in ms for connecting to Postgres. */
const CONNECT_TIMEOUT_MS = 10_000

/** Opens up to `connectionsMax` connections on demand. */
export function createLogReader(options: { readonly url: string; readonly connectionsMax: number }): LogReader {
  const connections = createLogConnections({
    ...options,
    applicationName: 'holdfast log reader',
    settings: LOG_SETTINGS,
    statements: logStatements(),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  })
  return {
    async read(input) {
      try {
        return await connections.use({ group: input.isBulk ? 'bulk' : 'urgent' }, (connection) =>
          readSlices(connection, input),
        )
      } catch (error) {
        if (PASSING_STATES.test(sqlstateOf(error) ?? '')) throw logReadFailed(errorMessage(error), error)
        if (isConnectionLoss(error)) throw logReadFailed('The connection to Postgres was lost', error)
        throw error
      }
    },
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  }
}

/** A slice that may grow by further rows. */
interface GrowingSlice extends OpsSlice {
  count: number
  hasMore: boolean
  lastOpId: number
  readonly docs: Buffer[]
}

/** Reads with {@link logStatements}. Rows of one bucket are adjacent. */
export async function readSlices(connection: LogConnection, input: ReadOpsInput): Promise<OpsSlice[]> {
  const { wanted, upTo, opsMax, bytesMax, isLarge = false } = input
  const ids = `{${wanted.map((entry) => entry.bucketId).join(',')}}`
  const after = `{${wanted.map((entry) => entry.after).join(',')}}`
  const slices: GrowingSlice[] = []
  await connection.run(isLarge ? 'single' : 'joined', [ids, after, upTo, opsMax, bytesMax], (buffer, start, end) => {
    const slice = readSlice(buffer, start, end)
    const before = slices.at(-1)
    if (before?.bucketId !== slice.bucketId) {
      slices.push(slice)
      return
    }
    before.docs.push(...slice.docs)
    before.count += slice.count
    before.lastOpId = slice.lastOpId
    before.hasMore = slice.hasMore
  })
  return slices
}

/**
 * Parses a row with binary columns: bucket, count, last operation, whether more follow, floor, compactions, documents. Documents of a large slice are not
 * copied and keep the message in memory.
 */
function readSlice(buffer: Buffer, start: number, end: number): GrowingSlice {
  // An int16 column count, then the length and value of each column: int4, int4, int8, int4, int8, int4, bytea.
  return {
    bucketId: buffer.readInt32BE(start + 6),
    count: buffer.readInt32BE(start + 14),
    lastOpId: Number(buffer.readBigInt64BE(start + 22)),
    hasMore: buffer.readInt32BE(start + 34) === 1,
    floor: Number(buffer.readBigInt64BE(start + 42)),
    compactions: buffer.readInt32BE(start + 54),
    docs: [end - start > READ_BYTES ? buffer.subarray(start + 62, end) : Buffer.from(buffer.subarray(start + 62, end))],
  }
}

/** SQLSTATEs of a server that is stopping, starting or out of resources. */
const PASSING_STATES = /^(08|53|57)/
