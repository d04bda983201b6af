import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFunctionsWorld, runHoldfast, type FunctionsWorld } from '@holdfast/test-support'
import { PROJECT } from './functions-project.ts'

// Functions over plain HTTP, as functions and callers see it.

let world: FunctionsWorld
beforeAll(async () => {
  world = await openFunctionsWorld(PROJECT)
})
afterAll(() => world[Symbol.asyncDispose]())

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${world.holdfast.anonKey}`, ...(init.headers as Record<string, string>) }
  return fetch(world.url(path), { ...init, headers })
}

describe('authentication', () => {
  test('is refused without a token, with the x-relay-error header', async () => {
    const answer = await fetch(world.url('mirror'), { method: 'POST' })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('x-relay-error')).toBe('true')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toEqual({ msg: 'Error: Missing authorization header' })
  })

  test('is refused with an invalid token', async () => {
    const basic = await call('mirror', { headers: { authorization: 'Basic YTpi' } })
    expect(await basic.json()).toEqual({ msg: "Error: Auth header is not 'Bearer {token}'" })
    const bad = await call('mirror', { headers: { authorization: 'Bearer bad' } })
    expect(await bad.json()).toEqual({ msg: 'Invalid JWT' })
  })

  test('is not required if verify_jwt is off', async () => {
    const answer = await fetch(world.url('open/hook?from=outside'))
    expect(await answer.text()).toBe('node /open/hook?from=outside')
  })

  test('is not required for a preflight, which the function answers itself', async () => {
    const answer = await fetch(world.url('status'), {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect(answer.headers.get('access-control-allow-methods')).toBeNull()
  })
})

describe('responses', () => {
  test("have the function's headers and x-served-by", async () => {
    const answer = await call('status?status=201')
    expect(answer.status).toBe(201)
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect(answer.headers.get('x-served-by')).toBe('holdfast-functions')
    expect(answer.headers.get('sb-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('have no content type unless the function sets one', async () => {
    const answer = await call('mirror', { headers: { 'response-type': 'none' } })
    expect(answer.headers.get('content-type')).toBeNull()
  })

  test('stream in both directions', async () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const sent = request(world.url('echo-stream'), {
      method: 'POST',
      headers: { authorization: `Bearer ${world.holdfast.anonKey}` },
    })
    sent.once('error', reject)
    sent.write('first ')
    sent.once('response', (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        // The response to the first part arrives before the second part is sent.
        if (text === 'FIRST ') sent.end('second')
      })
      answer.once('end', () => resolve(text))
    })
    expect(await promise).toBe('FIRST SECOND')
  })

  test('can be upgraded to WebSockets', async () => {
    const socket = new WebSocket(world.url('socket').replace('http:', 'ws:'))
    const heard = new Promise((resolve, reject) => {
      socket.addEventListener('open', () => socket.send('Weir 7'))
      socket.addEventListener('message', ({ data }) => resolve(data))
      socket.addEventListener('error', reject)
    })
    expect(await heard).toBe('heard Weir 7')
    socket.close()
  })
})

describe('errors', () => {
  test('in a handler are 500 in plain text, and logged', async () => {
    const answer = await call('throws')
    expect(answer.status).toBe(500)
    expect(await answer.text()).toBe('Internal Server Error')
    await expect.poll(() => world.holdfast.log()).toContain('in the handler')
  })

  test.each(['no-import', 'bad-syntax'])('on loading are BOOT_ERROR: %s', async (name) => {
    const answer = await call(name)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('sb-error-code')).toBe('BOOT_ERROR')
    expect(await answer.json()).toMatchObject({ code: 'BOOT_ERROR' })
    expect(world.holdfast.log()).toContain(`the function ${name} cannot be started`)
  })

  test('at startup are WORKER_ERROR', async () => {
    const answer = await call('throws-at-start')
    expect(answer.status).toBe(500)
    expect(await answer.json()).toMatchObject({ code: 'WORKER_ERROR' })
  })

  test.each(['nobody', 'switched-off', '_shared', 'a%2Fb', ''])(
    'are 404 for an unknown function name: %j',
    async (name) => {
      expect((await call(name)).status).toBe(404)
    },
  )
})

describe('projects', () => {
  test("give functions their own environment, not the server's", async () => {
    const environment = (await (await call('environment')).json()) as Record<string, string>
    expect(environment).toMatchObject({
      SUPABASE_URL: world.holdfast.url,
      SUPABASE_ANON_KEY: world.holdfast.anonKey,
      SUPABASE_SERVICE_ROLE_KEY: world.holdfast.serviceRoleKey,
      SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: world.holdfast.publishableKey }),
      GREETING: 'Good morning',
      FROM_CONFIG: 'configured',
    })
    expect(JSON.parse(environment['SUPABASE_JWKS'] ?? '')).toHaveProperty('keys')
    expect(environment).not.toHaveProperty('VITEST')
    expect(environment).not.toHaveProperty('USER')
  })

  test('may set the entry point and map imports', async () => {
    expect(await (await call('elsewhere')).text()).toBe('from another place')
    expect(await (await call('mapped')).json()).toHaveProperty('Access-Control-Allow-Origin')
  })

  test('restrict functions to their own files and a temporary folder, without subprocesses or workers', async () => {
    expect(await (await call('isolated')).json()).toEqual({
      passwd: 'NotCapable',
      secrets: 'NotCapable',
      write: 'NotCapable',
      run: 'NotCapable',
      thread: 'ReferenceError',
      temporary: 'allowed',
    })
  })

  test('reload when a file changes or a function is added', async () => {
    world.write('functions/changing/index.ts', `Deno.serve(() => new Response('before'))`)
    await expect.poll(async () => (await call('changing')).text()).toBe('before')
    world.write('functions/changing/index.ts', `Deno.serve(() => new Response('after'))`)
    await expect.poll(async () => (await call('changing')).text()).toBe('after')
  })
})

describe('operators', () => {
  interface Page {
    readonly lines: readonly { readonly function: string; readonly text: string }[]
    readonly cursor: string
  }

  async function ask<Answer>(path: string): Promise<Answer> {
    const answer = await call(path, { headers: { authorization: `Bearer ${world.holdfast.serviceRoleKey}` } })
    expect(answer.status).toBe(200)
    return (await answer.json()) as Answer
  }

  const server = (): readonly string[] => [`--url=${world.holdfast.url}`, `--data-dir=${world.holdfast.dataDir}`]

  test('read logs by function and by request', async () => {
    const ids = await Promise.all(
      [call('throws'), call('throws')].map(async (one) => (await one).headers.get('sb-request-id')),
    )
    await expect
      .poll(async () => (await ask<Page>(`_logs?function=throws&request_id=${ids[1]}`)).lines)
      .toMatchObject([
        {
          function: 'throws',
          level: 'error',
          text: expect.stringContaining('in the handler') as string,
          request_id: ids[1],
        },
      ])
    const shown = await runHoldfast('functions', 'logs', 'throws', `--request-id=${ids[1]}`, ...server())
    expect(shown).toContain(`(${ids[1]})`)
    expect(shown).not.toContain(ids[0])
  })

  test('read logged text without a line break as printed', async () => {
    const id = (await call('prints')).headers.get('sb-request-id')
    await expect
      .poll(async () => (await ask<Page>('_logs?function=prints')).lines)
      .toMatchObject([
        { text: 'half a line', request_id: null },
        { text: 'a line', request_id: id },
      ])
  })

  test('wait for the next log line', async () => {
    const { cursor } = await ask<Page>('_logs?limit=1')
    const next = ask<Page>(`_logs?after=${cursor}&wait_ms=20000&function=throws`)
    await call('throws')
    expect((await next).lines).toHaveLength(1)
  })

  test('see metrics per function', async () => {
    const read = async (name: string) =>
      (await ask<{ functions: { function: string; calls: number }[] }>('_metrics')).functions.find(
        (one) => one.function === name,
      )
    const before = (await read('status'))?.calls ?? 0
    await call('status?status=503')
    await call('status')
    expect(await read('status')).toMatchObject({
      calls: before + 2,
      errors: 1,
      p50_ms: expect.any(Number) as number,
      cold_starts: expect.any(Number) as number,
      memory_bytes: expect.any(Number) as number,
    })
    expect(await runHoldfast('functions', 'metrics', 'status', ...server())).toMatch(/status +\d+ +1 /)
  })

  test.each(['_logs', '_metrics'])('need the service key: %s', async (path) => {
    expect((await fetch(world.url(path))).status).toBe(403)
    expect((await call(path)).status).toBe(403)
  })

  test('get an error if a server already serves the functions', async () => {
    const serving = runHoldfast('functions', 'serve', '--no-verify-jwt', ...server().slice(1))
    await expect(serving).rejects.toThrow('It serves the functions without --no-functions-verify-jwt')
  })
})
