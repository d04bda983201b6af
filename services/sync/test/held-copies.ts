import net from 'node:net'

/** A way to Postgres on which rows of one table are held up, after Postgres has begun to read them. */
export interface HeldCopies extends AsyncDisposable {
  /** An address of the database, by this way. */
  through(url: string): string
  /** Holds copies of the table from now on. */
  hold(): void
  release(): void
  /** Lets the copy through that has been held for longest. */
  releaseNext(): void
  /** Rows have been on their way and were held. */
  readonly hasHeld: boolean
}

/** @param passes - copies of the table that go through before the first that is held; until {@link HeldCopies.hold} when left out */
export async function holdCopies(table: string, passes = Number.POSITIVE_INFINITY): Promise<HeldCopies> {
  let target: URL | undefined
  let left = passes
  let hasHeld = false
  const waiting: (() => void)[] = []
  const sockets = new Set<net.Socket>()
  const server = net.createServer((client) => {
    const postgres = net.connect(Number(target?.port), target?.hostname ?? '')
    for (const socket of [client, postgres]) {
      sockets.add(socket)
      socket.on('error', () => undefined) // the other side is closed below
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        postgres.destroy()
      })
    }
    client.on('data', (data) => {
      const text = data.toString('latin1')
      if (text.includes('copy (') && text.includes(table) && left-- <= 0) {
        postgres.unpipe(client)
        postgres.once('readable', () => (hasHeld = true))
        waiting.push(() => postgres.pipe(client))
      }
      postgres.write(data)
    })
    postgres.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    through(of) {
      const url = new URL(of)
      target ??= new URL(of)
      url.hostname = '127.0.0.1'
      url.port = String((server.address() as net.AddressInfo).port)
      return url.href
    },
    hold: () => (left = 0),
    release() {
      left = Number.POSITIVE_INFINITY
      for (const resume of waiting.splice(0)) resume()
    },
    releaseNext: () => waiting.shift()?.(),
    get hasHeld() {
      return hasHeld
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
