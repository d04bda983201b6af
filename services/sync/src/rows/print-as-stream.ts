import { sql, TEXT_SETTINGS, type Transaction } from '@holdfast/postgres'

/** Settings that print values as in the change stream, so the same encoder can read them. */
const PRINT_SETTINGS: Readonly<Record<string, string>> = { ...TEXT_SETTINGS, timezone: 'UTC' }

/** Makes this transaction print values as in the change stream. Call before assuming a role. */
export async function printAsStream(tx: Transaction): Promise<void> {
  const names = Object.keys(PRINT_SETTINGS)
  await tx.execute(
    sql`select set_config(s.name, s.value, true) from unnest(${names}::text[], ${Object.values(PRINT_SETTINGS)}::text[]) s (name, value)`,
  )
}
