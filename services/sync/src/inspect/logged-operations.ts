import { sql, type Pool } from '@holdfast/postgres'
import { docToJson, rowKey } from '../encode/op-doc.ts'
import type { LoggedOperation } from './row-explanation.ts'

/** An operation in the log. */
export interface Logged {
  readonly bucket: string
  readonly opId: string
  readonly checksum: number
  readonly doc: Buffer
}

/** Reads the operations of one row in these buckets. */
export async function readLogged(
  pool: Pool,
  names: readonly string[],
  localName: string,
  id: string,
): Promise<readonly Logged[]> {
  const rows = await pool.query<{ bucket: string; opId: string; checksum: number; doc: Buffer }>(sql`
    select b.name as bucket, o.op_id::text as "opId", o.checksum, o.doc
      from sync.buckets b join sync.ops o on o.bucket_id = b.id and o.row_key = ${rowKey(id)}
     where b.name = any(${names}::text[])
  `)
  return rows.filter(({ doc }) => {
    const op = JSON.parse(docToJson(doc, false)) as { object_type?: string; object_id?: string }
    return op.object_type === localName && op.object_id === id
  })
}

/** @param json - the current row, to compare with the operation */
export function describeOperation({ bucket, opId, checksum, doc }: Logged, json: string | undefined): LoggedOperation {
  const { data } = JSON.parse(docToJson(doc, false)) as { data?: string }
  return { bucket, opId, checksum: checksum >>> 0, current: data === json }
}
