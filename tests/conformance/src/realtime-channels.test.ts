import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { collect, openClient, signUp, subscribe, VERSIONS } from './realtime-world.ts'

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openHoldfast()
})

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
})

describe.each(VERSIONS)('protocol %s', (version) => {
  test('delivers a broadcast in order to the other members, not to the sender', async () => {
    const [sender, member] = [openClient(holdfast, { version }), openClient(holdfast, { version })]
    const sent = await subscribe(sender.channel('room'))
    const own = collect(sent.channel, '*')
    const channel = member.channel('room')
    const got = collect(channel, 'cursor')
    await subscribe(channel)
    const numbers = Array.from({ length: 50 }, (_, number) => number)
    for (const n of numbers) await sent.channel.send({ type: 'broadcast', event: 'cursor', payload: { n } })
    await expect.poll(() => got.map(({ payload }) => (payload as { n: number }).n)).toEqual(numbers)
    expect(got[0]).toEqual({ type: 'broadcast', event: 'cursor', payload: { n: 0 } })
    expect(own).toEqual([])
  })

  test('answers heartbeats', async () => {
    const client = openClient(holdfast, { version, heartbeatIntervalMs: 500 })
    const beats: string[] = []
    client.realtime.onHeartbeat((status) => void beats.push(status))
    await subscribe(client.channel('room'))
    await expect.poll(() => beats.filter((status) => status === 'ok').length).toBeGreaterThan(1)
  })

  test('reaches members of the other protocol', async () => {
    const other = VERSIONS.find((one) => one !== version) ?? version
    const [sender, member] = [openClient(holdfast, { version }), openClient(holdfast, { version: other })]
    const channel = member.channel('mixed')
    const got = collect(channel, 'x')
    await subscribe(channel)
    const sent = await subscribe(sender.channel('mixed'))
    await sent.channel.send({ type: 'broadcast', event: 'x', payload: { text: 'grüße 😀' } })
    await expect.poll(() => got).toEqual([{ type: 'broadcast', event: 'x', payload: { text: 'grüße 😀' } }])
  })
})

describe('channel.subscribe', () => {
  test('joins a channel', async () => {
    expect((await subscribe(openClient(holdfast).channel('room'))).statuses).toEqual(['SUBSCRIBED'])
  })

  test('accepts any name', async () => {
    const client = openClient(holdfast)
    for (const name of ['a b', 'ü/😀', 'realtime', 'x:y:z', '"', "'; drop table x"])
      expect((await subscribe(client.channel(name))).statuses).toEqual(['SUBSCRIBED'])
  })

  test('accepts publishable keys', async () => {
    const client = openClient(holdfast, { key: holdfast.publishableKey })
    expect((await subscribe(client.channel('room'))).statuses).toEqual(['SUBSCRIBED'])
  })

  test('rejoins after the server hung past the heartbeat timeout', async () => {
    await using own = await openHoldfast()
    const client = openClient(own, { heartbeatIntervalMs: 500 })
    const channel = client.channel('room')
    const got = collect(channel, 'x')
    const { statuses } = await subscribe(channel)
    process.kill(own.pid(), 'SIGSTOP')
    try {
      await expect.poll(() => statuses.some((status) => status.startsWith('CHANNEL_ERROR'))).toBe(true)
    } finally {
      process.kill(own.pid(), 'SIGCONT')
    }
    await expect.poll(() => statuses.filter((status) => status === 'SUBSCRIBED').length).toBe(2)
    const sender = await subscribe(openClient(own).channel('room'))
    await sender.channel.send({ type: 'broadcast', event: 'x', payload: {} })
    await expect.poll(() => got.length).toBe(1)
    await client.removeAllChannels()
    expect(got).toHaveLength(1)
  })

  test('rejoins after a server crash', async () => {
    await using own = await openHoldfast()
    const [client, other] = [openClient(own), openClient(own)]
    const channel = client.channel('room')
    const got = collect(channel, 'x')
    const { statuses } = await subscribe(channel)
    await own.kill9()
    await expect.poll(() => statuses.some((status) => status.startsWith('CHANNEL_ERROR'))).toBe(true)
    await own.restart()
    await expect.poll(() => statuses.filter((status) => status === 'SUBSCRIBED').length).toBe(2)
    const sender = await subscribe(other.channel('room'))
    await sender.channel.send({ type: 'broadcast', event: 'x', payload: {} })
    await expect.poll(() => got.length).toBe(1)
  })

  describe('refused', () => {
    test('an empty name', async () => {
      expect((await subscribe(openClient(holdfast).channel(''))).statuses[0]).toMatch(
        /^CHANNEL_ERROR.*TopicNameRequired: You must provide a topic name/,
      )
    })

    test('a private channel without a policy that lets the user read it', async () => {
      const client = openClient(holdfast)
      const { statuses } = await subscribe(client.channel('secret', { config: { private: true } }))
      expect(statuses[0]).toMatch(
        /^CHANNEL_ERROR.*Unauthorized: You do not have permissions to read from this Channel topic: secret/,
      )
    })
  })
})

describe('channel.send', () => {
  test('resolves on acknowledgement if ack is set', async () => {
    const channel = openClient(holdfast).channel('acks', { config: { broadcast: { ack: true, self: true } } })
    const got = collect(channel, 'x')
    await subscribe(channel)
    expect(await channel.send({ type: 'broadcast', event: 'x', payload: { a: 1 } })).toBe('ok')
    await expect.poll(() => got).toEqual([{ type: 'broadcast', event: 'x', payload: { a: 1 } }])
  })

  test('sends bytes', async () => {
    const [sender, member] = [openClient(holdfast), openClient(holdfast)]
    const channel = member.channel('bytes')
    const got = collect(channel, 'pix')
    await subscribe(channel)
    const sent = await subscribe(sender.channel('bytes'))
    await sent.channel.send({ type: 'broadcast', event: 'pix', payload: new Uint8Array([0, 255, 7]).buffer })
    await expect.poll(() => got.length).toBe(1)
    expect(new Uint8Array(got[0]?.['payload'] as ArrayBuffer)).toEqual(new Uint8Array([0, 255, 7]))
  })

  test('uses HTTP before the channel is joined', async () => {
    const [sender, member] = [openClient(holdfast), openClient(holdfast)]
    const channel = member.channel('http')
    const got = collect(channel, 'x')
    await subscribe(channel)
    expect(await sender.channel('http').send({ type: 'broadcast', event: 'x', payload: { a: 1 } })).toBe('ok')
    await expect.poll(() => got).toMatchObject([{ event: 'x', payload: { a: 1 } }])
  })

  test('is refused above 3,000 kB', async () => {
    const client = openClient(holdfast)
    const { channel } = await subscribe(client.channel('large', { config: { broadcast: { ack: true } } }))
    const payload = { text: 'x'.repeat(3_001_000) }
    expect(await channel.send({ type: 'broadcast', event: 'x', payload })).toBe('error')
  })
})

describe('channel.httpSend', () => {
  test('sends JSON and bytes', async () => {
    const [sender, member] = [openClient(holdfast), openClient(holdfast)]
    const channel = member.channel('http/send')
    const got = collect(channel, '*')
    await subscribe(channel)
    const sending = sender.channel('http/send')
    expect(await sending.httpSend('a b', { n: 1 })).toEqual({ success: true })
    expect(await sending.httpSend('c', new Uint8Array([1, 2]))).toEqual({ success: true })
    await expect.poll(() => got.length).toBe(2)
    expect(got[0]).toMatchObject({ event: 'a b', payload: { n: 1 } })
    expect(new Uint8Array(got[1]?.['payload'] as ArrayBuffer)).toEqual(new Uint8Array([1, 2]))
  })

  test('is refused for a private channel without a policy', async () => {
    const channel = openClient(holdfast).channel('secret', { config: { private: true } })
    await expect(channel.httpSend('x', {})).rejects.toThrow('Unauthorized')
  })

  test('is refused without a key', async () => {
    const answer = await fetch(`${holdfast.url}/realtime/v1/api/broadcast`, { method: 'POST', body: '{}' })
    expect([answer.status, await answer.json()]).toEqual([401, { message: 'API key is missing' }])
  })
})

describe('channel.unsubscribe', () => {
  test('leaves the channel and receives nothing more', async () => {
    const [sender, member] = [openClient(holdfast), openClient(holdfast)]
    const channel = member.channel('left')
    const got = collect(channel, 'x')
    const stays = member.channel('stays')
    const arrived = collect(stays, 'x')
    const { statuses } = await subscribe(channel)
    await subscribe(stays)
    expect(await channel.unsubscribe()).toBe('ok')
    expect(statuses.at(-1)).toBe('CLOSED')
    for (const name of ['left', 'stays']) await sender.channel(name).httpSend('x', {})
    await expect.poll(() => arrived.length).toBe(1)
    expect(got).toEqual([])
  })
})

describe('realtime.removeChannel', () => {
  test('leaves the channel', async () => {
    const client = openClient(holdfast)
    const { channel } = await subscribe(client.channel('room'))
    expect(await client.removeChannel(channel)).toBe('ok')
    expect(client.getChannels()).toEqual([])
  })
})

describe('realtime.removeAllChannels', () => {
  test('leaves all channels and closes the connection', async () => {
    const client = openClient(holdfast)
    await subscribe(client.channel('a'))
    await subscribe(client.channel('b'))
    expect(await client.removeAllChannels()).toEqual(['ok', 'ok'])
    await expect.poll(() => client.realtime.isConnected()).toBe(false)
  })
})

describe('realtime.connect', () => {
  test('opens the connection without a channel', async () => {
    const client = openClient(holdfast)
    client.realtime.connect()
    await expect.poll(() => client.realtime.isConnected()).toBe(true)
  })
})

describe('realtime.channel', () => {
  test('creates a channel on the shared connection', async () => {
    const client = openClient(holdfast)
    expect((await subscribe(client.realtime.channel('room'))).statuses).toEqual(['SUBSCRIBED'])
  })
})

describe('realtime.disconnect', () => {
  test('closes the connection', async () => {
    const client = openClient(holdfast)
    await subscribe(client.channel('room'))
    await client.realtime.disconnect()
    await expect.poll(() => client.realtime.isConnected()).toBe(false)
  })
})

describe('realtime.sendHeartbeat', () => {
  test('gets a reply', async () => {
    const client = openClient(holdfast)
    const beats: string[] = []
    client.realtime.onHeartbeat((status) => void beats.push(status))
    await subscribe(client.channel('room'))
    await client.realtime.sendHeartbeat()
    await expect.poll(() => beats).toContain('ok')
  })
})

describe('realtime.onHeartbeat', () => {
  test('reports the latency', async () => {
    const client = openClient(holdfast, { heartbeatIntervalMs: 200 })
    const latencies: number[] = []
    client.realtime.onHeartbeat((status, latency) => void (status === 'ok' && latencies.push(latency ?? -1)))
    await subscribe(client.channel('room'))
    await expect.poll(() => latencies.length).toBeGreaterThan(0)
    expect(latencies[0]).toBeGreaterThanOrEqual(0)
  })
})

describe('realtime.setAuth', () => {
  test('sends joined channels a new token', async () => {
    const client = openClient(holdfast)
    await signUp(client, 'alice')
    const channel = client.channel('room', { config: { broadcast: { self: true } } })
    const got = collect(channel, 'x')
    const { statuses } = await subscribe(channel)
    await client.auth.refreshSession()
    await client.realtime.setAuth()
    await channel.send({ type: 'broadcast', event: 'x', payload: {} })
    await expect.poll(() => got.length).toBe(1)
    expect(statuses).toEqual(['SUBSCRIBED'])
  })

  test('is refused with a forged token, which closes the channel', async () => {
    const client = openClient(holdfast)
    const { statuses } = await subscribe(client.channel('room'))
    await client.realtime.setAuth('not.a.token')
    await expect.poll(() => statuses).toEqual(['SUBSCRIBED', 'CLOSED'])
  })
})

describe('the end of a session', () => {
  const ends: readonly (readonly [string, (id: string) => string])[] = [
    ['signing out', (id) => `delete from auth.sessions where user_id = '${id}'`],
    ['a ban', (id) => `update auth.users set banned_until = now() + interval '1 day' where id = '${id}'`],
    ['account deletion', (id) => `delete from auth.users where id = '${id}'`],
  ]

  test.each(ends)("by %s closes the user's channels and no others", async (_title, statement) => {
    const [client, other] = [openClient(holdfast), openClient(holdfast)]
    await signUp(client, 'alice')
    await signUp(other, 'bob')
    const { statuses } = await subscribe(client.channel('room'))
    const stays = await subscribe(other.channel('room'))
    const { data } = await client.auth.getUser()
    await holdfast.internal.withClient((db) => db.query(statement(data.user?.id ?? '')))
    await expect.poll(() => statuses).toEqual(['SUBSCRIBED', 'CLOSED'])
    expect(stays.statuses).toEqual(['SUBSCRIBED'])
  })

  test("by revocation of its signing key closes the token's channels, not those of API keys", async () => {
    const [client, other] = [openClient(holdfast), openClient(holdfast)]
    await signUp(client, 'alice')
    const { statuses } = await subscribe(client.channel('room'))
    const stays = await subscribe(other.channel('room'))
    const manage = async (method: string, path = '', payload?: object): Promise<{ keys: { kid: string }[] }> => {
      const answer = await fetch(`${holdfast.url}/auth/v1/admin/signing-keys${path}`, {
        method,
        headers: { apikey: holdfast.serviceRoleKey, 'content-type': 'application/json' },
        ...(payload && { body: JSON.stringify(payload) }),
      })
      return (await answer.json()) as { keys: { kid: string }[] }
    }
    const [before] = (await manage('GET')).keys
    await manage('POST', '', {})
    await manage('POST', '/rotate', { at_once: true })
    await manage('DELETE', `/${before?.kid}`)
    await expect.poll(() => statuses).toEqual(['SUBSCRIBED', 'CLOSED'])
    expect(stays.statuses).toEqual(['SUBSCRIBED'])
  })
})
