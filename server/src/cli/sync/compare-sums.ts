import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { CHECK_PATH, RangeSums, SCHEMA_PATH, type CheckLine, type SchemaDescriptor } from '@holdfast/protocol'
import { refusal, send } from './connection.ts'

/** Number of compared key ranges. */
const RANGES = 256

/**
 * Compares a device with the user's checksums from the server, as devices do themselves.
 *
 * @param settle - returns the device's rows by `table/id`, including everything committed by now
 * @returns the tables if the device has exactly their rows; `undefined` if a row-by-row comparison is needed
 * @throws {HoldfastError} the server's refusal
 */
export async function compareSums(
  { url, token }: { readonly url: string; readonly token: string },
  settle: () => Promise<ReadonlyMap<string, string>>,
): Promise<{ readonly tables: readonly string[]; readonly rows: ReadonlyMap<string, string> } | undefined> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const described = await send(`${url}${SCHEMA_PATH}`, { headers })
  if (!described.ok) throw await refusal(described)
  const tables = ((await described.json()) as SchemaDescriptor).tables.map(({ name }) => name)
  const response = await send(`${url}${CHECK_PATH}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ questions: tables.map((table) => ({ table, ranges: RANGES })) }),
  })
  // Another device of the user is being checked: compare rows instead.
  if (response.status === 429 || response.status === 503) return undefined
  if (!response.ok) throw await refusal(response)
  const theirs = new Map<string, string>()
  let last: Extract<CheckLine, { readonly complete: unknown }> | undefined
  for await (const text of createInterface({ input: Readable.fromWeb(response.body as never) })) {
    const line = JSON.parse(text) as CheckLine
    if ('sums' in line) theirs.set(line.table, JSON.stringify(line.sums))
    if ('complete' in line) last = line
  }
  if (!last) return undefined
  const { complete, narrowed } = last
  const summed = complete.filter((table) => !narrowed.includes(table))
  if (summed.some((table) => !theirs.has(table))) return undefined
  const rows = await settle()
  const own = new Map(summed.map((table) => [table, new RangeSums(RANGES)]))
  for (const [key, data] of rows) {
    const slash = key.indexOf('/')
    const sums = own.get(key.slice(0, slash))
    if (!sums) return undefined
    sums.add(key.slice(slash + 1), data)
  }
  const isEqual = [...own].every(([table, sums]) => JSON.stringify(sums.list()) === theirs.get(table))
  return isEqual ? { tables: complete, rows } : undefined
}
