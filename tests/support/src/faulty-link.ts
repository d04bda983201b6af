import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A line to a server that can be cut: a TCP proxy on the loopback. */
export interface FaultyLink extends AsyncDisposable {
  /** The server's address through this line. */
  readonly url: string
  /** Ends all connections; new ones are possible at once. */
  cut(): void
  /** Ends all connections and refuses new ones until {@link FaultyLink.mend}. */
  sever(): void
  mend(): void
  /** Lets answers through in pieces of so many bytes, one a millisecond, from now on. 0: as they come. */
  slow(bytes: number): void
  /**
   * Breaks the connections of the next `count` requests that begin with `head`. `answer`: when the server answers, so that it has done its work and the
   * client does not know; `request`: as soon as the request has been passed on.
   */
  breakRequests(options: { readonly head: string; readonly at: 'answer' | 'request'; readonly count: number }): void
  /** Requests broken so far. */
  readonly broken: number
}

/** @param target - the server's address, such as `http://127.0.0.1:54321` */
export async function openFaultyLink(target: string): Promise<FaultyLink> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let severed = false
  let pieceBytes = 0
  let plan = { head: '', at: 'answer' as 'answer' | 'request', count: 0 }
  let broken = 0

  const server = createServer((near) => {
    if (severed) return void near.destroy()
    const far = connect({ host: hostname, port: Number(port), noDelay: true })
    let isDoomed = false
    const end = (): void => {
      near.destroy()
      far.destroy()
      open.delete(near)
      open.delete(far)
    }
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', end)
      socket.on('close', end)
    }
    near.setNoDelay(true)
    near.on('data', (chunk: Buffer) => {
      const isBroken = plan.count > 0 && chunk.subarray(0, plan.head.length).toString('latin1') === plan.head
      if (isBroken) {
        plan.count--
        broken++
      }
      if (!far.write(chunk, () => isBroken && plan.at === 'request' && setTimeout(end, 1))) {
        near.pause()
        far.once('drain', () => near.resume())
      }
      isDoomed ||= isBroken && plan.at === 'answer'
    })
    far.on('data', (chunk: Buffer) => {
      if (isDoomed) return end()
      if (pieceBytes > 0) {
        far.pause()
        return dripFeed(near, chunk, () => far.resume())
      }
      if (near.write(chunk)) return
      far.pause()
      near.once('drain', () => far.resume())
    })
  })
  function dripFeed(to: Socket, bytes: Buffer, done: () => void): void {
    if (to.destroyed) return
    const piece = pieceBytes > 0 ? bytes.subarray(0, pieceBytes) : bytes
    to.write(piece)
    const rest = bytes.subarray(piece.length)
    if (rest.length === 0) done()
    else setTimeout(() => dripFeed(to, rest, done), 1)
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    sever() {
      severed = true
      cut()
    },
    mend: () => void (severed = false),
    slow: (bytes) => void (pieceBytes = bytes),
    breakRequests: (options) => void (plan = { ...options }),
    get broken() {
      return broken
    },
    async [Symbol.asyncDispose]() {
      severed = true
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
