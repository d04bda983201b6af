import { sql, TEXT_SETTINGS, type Transaction } from '@holdfast/postgres'

/** Values print as in the change stream, so that the same encoder reads them. */
const PRINT_SETTINGS: Readonly<Record<string, string>> = { ...TEXT_SETTINGS, timezone: 'UTC' }

/** Makes values of this transaction print as the change stream has them. To be called before anybody is assumed. */
export async function printAsStream(tx: Transaction): Promise<void> {
  const names = Object.keys(PRINT_SETTINGS)
  await tx.execute(
    sql`select set_config(s.name, s.value, true) from unnest(${names}::text[], ${Object.values(PRINT_SETTINGS)}::text[]) s (name, value)`,
  )
}
