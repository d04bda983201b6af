import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A connection to Postgres that can break between two responses of a pipeline. */
export interface CuttingLine extends AsyncDisposable {
  /** The server's URL through this proxy. */
  readonly url: string
  /** Breaks the connection after the server's next `ReadyForQuery`. */
  cutAfterNextAnswer(): void
}

const READY_FOR_QUERY = 'Z'.charCodeAt(0)

/** @param target - the server's URL, without TLS */
export async function openCuttingLine(target: string): Promise<CuttingLine> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let isArmed = false

  /** @returns the bytes up to the end of the first complete `ReadyForQuery`, if any; `rest` starts with a message */
  function toAnswer(rest: Buffer): number | undefined {
    for (let at = 0; at + 5 <= rest.length; at += 1 + rest.readUInt32BE(at + 1)) {
      const end = at + 1 + rest.readUInt32BE(at + 1)
      if (rest[at] === READY_FOR_QUERY && end <= rest.length) return end
    }
    return undefined
  }

  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    let held = Buffer.alloc(0)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        near.destroy()
        far.destroy()
        open.delete(socket)
      })
    }
    near.pipe(far)
    far.on('data', (chunk: Buffer) => {
      if (!isArmed) return void near.write(chunk)
      held = Buffer.concat([held, chunk])
      const end = toAnswer(held)
      if (end === undefined) return
      near.write(held.subarray(0, end), () => near.destroy())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cutAfterNextAnswer: () => (isArmed = true),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
