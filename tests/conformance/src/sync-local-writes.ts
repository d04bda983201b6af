import fc from 'fast-check'
import type { TestDevice } from '@holdfast/test-support'

/** A write on a device: which kind, and numbers that choose rows. */
export interface LocalStep {
  readonly kind: number
  readonly a: number
  readonly b: number
}

export const localSteps: fc.Arbitrary<LocalStep> = fc.record({
  kind: fc.nat(99),
  a: fc.nat(99_999),
  b: fc.nat(99_999),
})

/** What people do; the policies allow it to some and refuse it to others. */
const WRITES = [
  { table: 'actions', text: `update actions set title = ? where id = ?` },
  { table: 'actions', text: `update actions set state = 'doing', est_hours = ? where id = ?` },
  { table: 'actions', text: `update actions set state = 'verified', detail = ? where id = ?` },
  {
    table: 'actions',
    text: `insert into hf_comments (id, table_name, record_id, body) values (uuid(), 'actions', ?2, ?1)`,
  },
  { table: 'sites', text: `update sites set access_notes = ? where id = ?` },
  {
    table: 'sites',
    text: `insert into findings (id, site_id, title, severity, state) values (uuid(), ?2, ?1, 'high', 'open')`,
  },
  { table: 'findings', text: `update findings set detail = ? where id = ?` },
  { table: 'findings', text: `insert into photos (id, finding_id, caption) values (uuid(), ?2, ?1)` },
  { table: 'photos', text: `update photos set caption = ? where id = ?` },
  { table: 'photos', text: `delete from photos where ?1 is not null and id = ?2` },
  { table: 'assets', text: `update assets set model = ? where id = ?` },
  { table: 'inspections', text: `update inspections set weather = ? where id = ?` },
  { table: 'hf_comments', text: `update hf_comments set body = ? where id = ?` },
] as const

/** @returns whether the device had a row to write about */
export async function localWrite(device: TestDevice, step: LocalStep): Promise<boolean> {
  const write = WRITES[step.kind % WRITES.length]
  if (!write) return false
  return device.database.writeTransaction(async (tx) => {
    const row = await tx.getOptional<{ id: string }>(
      `select id from ${write.table} order by id limit 1 offset ? % max(1, (select count(*) from ${write.table}))`,
      [step.a],
    )
    if (!row) return false
    await tx.execute(write.text, [String(step.b), row.id])
    return true
  })
}
