import { describe, expect, test } from 'vitest'
import { type ConnectedDatabase, Connection } from './connection.ts'

/** Records the SDK's calls; each takes a while, and overlapping calls are an error. */
function openRecorded(): {
  readonly calls: string[]
  readonly connection: Connection
  readonly problems: unknown[]
  fail: string | undefined
} {
  const world = { calls: [] as string[], problems: [] as unknown[], fail: undefined as string | undefined }
  let busy: string | undefined
  const call = async (name: string): Promise<void> => {
    world.calls.push(busy === undefined ? name : `${name} during ${busy}`)
    busy = name
    await new Promise((resolve) => setImmediate(resolve))
    busy = undefined
    if (world.fail === name) throw new Error(`${name} failed`)
  }
  const database = {
    closed: false,
    ready: true,
    // As in the SDK: the promise resolves with the first connection, which may never come.
    connect: async () => void world.calls.push('connect'),
    disconnect: () => call('disconnect'),
    close: async () => {
      await call('close')
      database.closed = true
    },
    database: { close: () => call('close the file') },
  }
  const connection = new Connection(
    database as unknown as ConnectedDatabase,
    () => ({}) as never,
    (work) => void work.catch((error: unknown) => world.problems.push(error)),
  )
  return Object.assign(world, { connection })
}

describe('the connection of a local database', () => {
  test('connects, changes and restarts one after the other, however fast they are asked for', async () => {
    const { connection, calls } = openRecorded()
    connection.connect()
    const change = connection.whileDisconnected(
      async () => true,
      async () => void calls.push('change'),
    )
    await Promise.all([change, connection.restart()])
    expect(calls).toEqual(['connect', 'disconnect', 'change', 'connect', 'disconnect', 'connect'])
  })

  test('comes back after a change, unless the person does not want it', async () => {
    const { connection, calls } = openRecorded()
    const change = (): Promise<void> =>
      connection.whileDisconnected(
        async () => true,
        async () => void calls.push('change'),
      )
    await change()
    expect(calls).toEqual(['disconnect', 'change'])
    connection.connect()
    await change()
    expect(calls.slice(2)).toEqual(['connect', 'disconnect', 'change', 'connect'])
  })

  test('is left alone when there is nothing to change', async () => {
    const { connection, calls } = openRecorded()
    connection.connect()
    await connection.whileDisconnected(
      async () => false,
      async () => void calls.push('change'),
    )
    expect(calls).toEqual(['connect'])
  })

  test('is not restarted by what happens after the person has disconnected', async () => {
    const { connection, calls } = openRecorded()
    connection.connect()
    await connection.disconnect()
    await connection.restart()
    expect(calls).toEqual(['disconnect'])
  })

  test('goes on in turn after something failed, and its caller hears of it', async () => {
    const world = openRecorded()
    const { connection, calls } = world
    world.fail = 'disconnect'
    await expect(connection.disconnect()).rejects.toThrow('disconnect failed')
    world.fail = undefined
    connection.connect()
    await connection.restart()
    expect(calls).toEqual(['disconnect', 'connect', 'disconnect', 'connect'])
  })

  test('closes last, and nothing happens on a closed one', async () => {
    const { connection, calls, problems } = openRecorded()
    connection.connect()
    const closing = connection.close()
    connection.connect()
    await closing
    await connection.restart()
    expect(calls.at(-1)).toBe('close')
    expect(problems).toEqual([])
  })

  test('closes the file as well where the SDK cannot close, and its caller hears why', async () => {
    const world = openRecorded()
    world.fail = 'close'
    await expect(world.connection.close()).rejects.toThrow('close failed')
    expect(world.calls.slice(-2)).toEqual(['close', 'close the file'])
  })
})
