import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A faulty connection to the server: a TCP proxy. Faults last until {@link TestNetwork.restore}. */
export interface TestNetwork {
  /** Closes all connections and refuses new ones. */
  cut(): void
  /** Accepts and keeps connections but forwards nothing in either direction, without any error. */
  hang(): void
  /** Limits bytes per second of each connection and direction, and adds latency. */
  slow(limits: { readonly bytesPerSecond?: number; readonly latencyMs?: number }): void
  /** Ends all faults. Hanging connections continue. */
  restore(): void
}

export interface OwnNetwork extends TestNetwork, AsyncDisposable {
  /** URL without trailing slash. */
  readonly url: string
  /** Switches to another server and closes the existing connections. */
  leadTo(target: string): void
}

type Mode = 'open' | 'cut' | 'hang'

/** Interval in ms between chunks of a slow connection. */
const PIECE_MS = 20

export async function openNetwork(target?: string): Promise<OwnNetwork> {
  const network = new Proxy(target)
  await network.listen()
  return network
}

class Proxy implements OwnNetwork {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #waiting = new Set<() => void>()
  #target: URL | undefined
  #url = ''
  #mode: Mode = 'open'
  #pieceBytes = Infinity
  #latencyMs = 0

  constructor(target: string | undefined) {
    if (target !== undefined) this.#target = new URL(target)
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => this.#accept(near))
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    // An unclosed proxy does not keep the process alive.
    this.#server.unref()
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get url(): string {
    return this.#url
  }

  leadTo(target: string): void {
    this.#target = new URL(target)
    this.#endAll()
  }

  cut(): void {
    this.#mode = 'cut'
    this.#endAll()
    this.#wake()
  }

  hang(): void {
    this.#mode = 'hang'
  }

  slow({ bytesPerSecond, latencyMs = 0 }: { readonly bytesPerSecond?: number; readonly latencyMs?: number }): void {
    this.#pieceBytes =
      bytesPerSecond === undefined ? Infinity : Math.max(1, Math.ceil((bytesPerSecond * PIECE_MS) / 1_000))
    this.#latencyMs = latencyMs
  }

  restore(): void {
    this.#mode = 'open'
    this.#pieceBytes = Infinity
    this.#latencyMs = 0
    this.#wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.cut()
    await closed
  }

  #endAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  #accept(near: Socket): void {
    if (this.#mode === 'cut' || !this.#target) return void near.destroy()
    const far = connect({
      host: this.#target.hostname,
      port: Number(this.#target.port),
      noDelay: true,
      allowHalfOpen: true,
    })
    const end = (): void => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      this.#sockets.add(socket)
      socket.on('error', end)
      socket.once('close', () => {
        this.#sockets.delete(socket)
        end()
      })
    }
    void this.#pass(near, far).then(undefined, end)
    void this.#pass(far, near).then(undefined, end)
  }

  /** Forwards bytes and the end, respecting backpressure. */
  async #pass(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length;) {
        await this.#mayPass()
        const piece = chunk.subarray(at, at + Math.min(this.#pieceBytes, chunk.length))
        const pauseMs = this.#latencyMs + (Number.isFinite(this.#pieceBytes) ? PIECE_MS : 0)
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
        if (to.destroyed) return
        if (!to.write(piece)) await new Promise<void>((resolve) => onceEither(to, resolve))
        at += piece.length
      }
    }
    await this.#mayPass()
    to.end()
  }

  async #mayPass(): Promise<void> {
    while (this.#mode === 'hang') await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }
}

function onceEither(socket: Socket, resolve: () => void): void {
  const done = (): void => {
    socket.off('drain', done)
    socket.off('close', done)
    resolve()
  }
  socket.on('drain', done)
  socket.on('close', done)
}
