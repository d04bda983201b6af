import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

// Invariant: what a committed transaction asked for is sent at least once, whatever becomes of the server meanwhile.

let holdfast: Holdfast
let receiver: ReturnType<typeof createServer>
const waiting: ServerResponse[] = []
let answers = false

beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume()
    if (answers) response.end('received')
    else waiting.push(response)
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  holdfast = await openHoldfast({ args: ['--webhooks-allow=127.0.0.1'] })
})
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]()
  receiver.closeAllConnections()
  receiver.close()
})

test('a server that is killed in the middle of a webhook sends it again after its next start', async () => {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const [row] = await holdfast.admin.query<{ id: string }>(
    sql`select net.http_post(${url}, timeout_milliseconds := 500)::text as id`,
  )
  await expect.poll(() => waiting.length).toBe(1)
  await holdfast.kill9()
  answers = true
  await holdfast.restart()
  await expect
    .poll(() =>
      holdfast.admin.query(sql`select status_code, content from net._http_response where id = ${row?.id}::bigint`),
    )
    .toEqual([{ status_code: 200, content: 'received' }])
  expect(await holdfast.admin.query(sql`select id from net.http_request_queue`)).toEqual([])
})
