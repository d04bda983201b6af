import { expect, test } from 'vitest'

import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from './create-server.ts'

test('a request is logged with who asked and what came of it, and with nothing that it was sent', async () => {
  const lines: { message: string; fields: object | undefined }[] = []
  await using app = createHttpServer({
    logger: silentLogger,
    requestLog: { log: (_level, message, fields) => void lines.push({ message, fields }) },
  })
  app.addHook('onRequest', async (request) => {
    request.caller = { role: 'authenticated', claims: {}, userId: 'ada', expiresAtS: undefined }
  })
  app.post('/rest/v1/notes', async (_request, reply) => reply.code(201).send('stored'))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const answer = await fetch(`${url}/rest/v1/notes?apikey=secret-1&name=eq.secret-2`, {
    method: 'POST',
    headers: { authorization: 'Bearer secret-3', 'content-type': 'application/json' },
    body: '{"text":"secret-4"}',
  })
  await answer.text()
  await fetch(`${url}/${'x'.repeat(600)}`)
  await expect.poll(() => lines.length).toBe(2)
  expect(lines[0]).toEqual({
    message: 'request',
    fields: {
      requestId: answer.headers.get('x-request-id'),
      method: 'POST',
      path: '/rest/v1/notes',
      status: 201,
      durationMs: expect.any(Number),
      userId: 'ada',
      bytes: expect.toSatisfy((bytes: number) => bytes > 100 && bytes < 1_000),
    },
  })
  expect(lines[1]?.fields).toMatchObject({ status: 404, path: expect.toSatisfy((path: string) => path.length === 513) })
  expect(JSON.stringify(lines)).not.toContain('secret')
})
