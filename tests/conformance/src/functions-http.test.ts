import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFunctionsWorld, type FunctionsWorld } from '@holdfast/test-support'
import { PROJECT } from './functions-project.ts'

// What functions and those who call them see over plain HTTP.

let world: FunctionsWorld
beforeAll(async () => {
  world = await openFunctionsWorld(PROJECT)
})
afterAll(() => world[Symbol.asyncDispose]())

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${world.holdfast.anonKey}`, ...(init.headers as Record<string, string>) }
  return fetch(world.url(path), { ...init, headers })
}

describe('tokens', () => {
  test('is refused without one, with the header that makes it an error of the relay', async () => {
    const answer = await fetch(world.url('mirror'), { method: 'POST' })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('x-relay-error')).toBe('true')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toEqual({ msg: 'Error: Missing authorization header' })
  })

  test('is refused with something else than a token', async () => {
    const basic = await call('mirror', { headers: { authorization: 'Basic YTpi' } })
    expect(await basic.json()).toEqual({ msg: "Error: Auth header is not 'Bearer {token}'" })
    const bad = await call('mirror', { headers: { authorization: 'Bearer bad' } })
    expect(await bad.json()).toEqual({ msg: 'Invalid JWT' })
  })

  test('are not looked for where verify_jwt is off, nor a key', async () => {
    const answer = await fetch(world.url('open/hook?from=outside'))
    expect(await answer.text()).toBe('node /open/hook?from=outside')
  })

  test('are not looked for in a preflight, which the function answers with its own headers', async () => {
    const answer = await fetch(world.url('status'), {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect(answer.headers.get('access-control-allow-methods')).toBeNull()
  })
})

describe('answers', () => {
  test('have the headers of the function, and say who served them', async () => {
    const answer = await call('status?status=201')
    expect(answer.status).toBe(201)
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
    expect(answer.headers.get('x-served-by')).toBe('holdfast-functions')
    expect(answer.headers.get('sb-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('get no content type that the function did not set', async () => {
    const answer = await call('mirror', { headers: { 'response-type': 'none' } })
    expect(answer.headers.get('content-type')).toBeNull()
  })

  test('stream both ways at once', async () => {
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
        // The answer to the first part has come before the second is sent.
        if (text === 'FIRST ') sent.end('second')
      })
      answer.once('end', () => resolve(text))
    })
    expect(await promise).toBe('FIRST SECOND')
  })

  test('are WebSockets when the function upgrades', async () => {
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
  test('of a handler are 500, in text, and its log has them', async () => {
    const answer = await call('throws')
    expect(answer.status).toBe(500)
    expect(await answer.text()).toBe('Internal Server Error')
    await expect.poll(() => world.holdfast.log()).toContain('in the handler')
  })

  test.each(['no-import', 'bad-syntax'])('of loading are BOOT_ERROR: %s', async (name) => {
    const answer = await call(name)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('sb-error-code')).toBe('BOOT_ERROR')
    expect(await answer.json()).toMatchObject({ code: 'BOOT_ERROR' })
    expect(world.holdfast.log()).toContain(`the function ${name} cannot be started`)
  })

  test('of the start are WORKER_ERROR', async () => {
    const answer = await call('throws-at-start')
    expect(answer.status).toBe(500)
    expect(await answer.json()).toMatchObject({ code: 'WORKER_ERROR' })
  })

  test.each(['nobody', 'switched-off', '_shared', 'a%2Fb', ''])(
    'are 404 for a name without a function: %j',
    async (name) => {
      expect((await call(name)).status).toBe(404)
    },
  )
})

describe('projects', () => {
  test('give functions an environment of their own, and nothing of the server', async () => {
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

  test('may name the entry point, and map imports', async () => {
    expect(await (await call('elsewhere')).text()).toBe('from another place')
    expect(await (await call('mapped')).json()).toHaveProperty('Access-Control-Allow-Origin')
  })

  test('have functions that read their own files only, start nothing and write to a folder that goes with them', async () => {
    expect(await (await call('isolated')).json()).toEqual({
      passwd: 'NotCapable',
      secrets: 'NotCapable',
      write: 'NotCapable',
      run: 'NotCapable',
      temporary: 'allowed',
    })
  })

  test('are read again when a file changes, or a function comes', async () => {
    world.write('functions/changing/index.ts', `Deno.serve(() => new Response('before'))`)
    await expect.poll(async () => (await call('changing')).text()).toBe('before')
    world.write('functions/changing/index.ts', `Deno.serve(() => new Response('after'))`)
    await expect.poll(async () => (await call('changing')).text()).toBe('after')
  })
})
