import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { createItems, residentBytes } from './items.ts'
import type { Figure } from './report.ts'
import { openStream } from './stream-client.ts'
import { mintToken } from './tokens.ts'

/** Memory of the server during one large transaction, with all rows in one bucket and with each row in a bucket of its own. */
export async function benchLarge(rows: number): Promise<Figure[]> {
  return [...(await oneTransaction(rows, false)), ...(await oneTransaction(rows, true))]
}

async function oneTransaction(rows: number, isSpread: boolean): Promise<Figure[]> {
  await using holdfast = await openHoldfast()
  await createItems(holdfast.admin)
  const owner = randomUUID()
  const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, owner), randomUUID())
  await client.nextComplete()
  const before = await residentBytes(holdfast)
  let most = before
  const watch = setInterval(() => void residentBytes(holdfast).then((bytes) => (most = Math.max(most, bytes))), 50)
  // If the rows are spread, the device still gets the first and the last one.
  await holdfast.admin.execute(sql`
    insert into public.items (id, owner_id, title, body, done, n, created_at)
    select gen_random_uuid(), case when ${isSpread}::boolean and g not in (1, ${rows}::int) then gen_random_uuid() else ${owner}::uuid end,
           'Item number ' || g, left(repeat(md5(g::text), 40), 160), g % 3 = 0, g, now()
      from generate_series(1, ${rows}::int) g`)
  const began = performance.now()
  while (client.operations < (isSpread ? 2 : rows)) await client.nextComplete()
  const seconds = (performance.now() - began) / 1000
  clearInterval(watch)
  client.close()
  const name = `${rows} rows in one transaction, in ${isSpread ? 'as many buckets' : 'one bucket'}`
  return [
    { name: `${name} → on the device`, value: rows / seconds, unit: 'rows/s' },
    { name: `${name}: memory at most`, value: (most - before) / 1024 / 1024, unit: 'MB' },
  ]
}
