import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { UNSENT_BYTES } from './limits.ts'

/** The frames that a WebSocket has not handed to the kernel yet. */
export class Outgoing {
  readonly #webSocket: WebSocket
  readonly #socket: Duplex
  #unsentBytes = 0
  /** The newest reply that waits for room: a device that asks without reading gets one. */
  #reply: Buffer | undefined
  #room: PromiseWithResolvers<void> | undefined

  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket
    this.#socket = socket
  }

  get isClosed(): boolean {
    return this.#webSocket.readyState !== WebSocket.OPEN
  }

  /** Sends a frame together with the others of the current task, because each write is a system call. */
  send(frame: Buffer): void {
    if (this.isClosed) return
    const socket = this.#socket
    socket.cork()
    process.nextTick(() => socket.uncork())
    this.#unsentBytes += frame.length
    this.#webSocket.send(frame, () => this.#sent(frame.length))
  }

  /** Sends a frame that a later one replaces while there is no room. */
  reply(frame: Buffer): void {
    if (this.#unsentBytes < UNSENT_BYTES) this.send(frame)
    else this.#reply = frame
  }

  /** Resolves when there is room or the connection is closed; `undefined` if there is room. */
  room(): Promise<void> | undefined {
    if (this.#unsentBytes < UNSENT_BYTES || this.isClosed) return undefined
    return (this.#room ??= Promise.withResolvers<void>()).promise
  }

  closed(): void {
    this.#reply = undefined
    this.#room?.resolve()
    this.#room = undefined
  }

  #sent(bytes: number): void {
    this.#unsentBytes -= bytes
    if (this.#unsentBytes >= UNSENT_BYTES) return
    this.#room?.resolve()
    this.#room = undefined
    const reply = this.#reply
    this.#reply = undefined
    if (reply) this.send(reply)
  }
}
