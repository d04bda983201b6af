import { sql, type Transaction } from '@holdfast/postgres'

/** Values print as in the change stream, so that the same encoder reads them. */
const PRINT_SETTINGS: Readonly<Record<string, string>> = {
  datestyle: 'ISO, MDY',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  xmlbinary: 'base64',
}

/** Makes values of this transaction print as the change stream has them. To be called before anybody is assumed. */
export async function printAsStream(tx: Transaction): Promise<void> {
  const names = Object.keys(PRINT_SETTINGS)
  await tx.execute(
    sql`select set_config(s.name, s.value, true) from unnest(${names}::text[], ${Object.values(PRINT_SETTINGS)}::text[]) s (name, value)`,
  )
}
