import { WebSocket } from 'ws'

export interface StreamSocketOptions {
  /** Of the server, with `http:`. */
  readonly url: string
  readonly token: string
  /** The stream request, as JSON. */
  readonly body: string
  /** Receives each line, as BSON. */
  readonly onLine: (line: Buffer) => void
  /** Receives the text of an error, after which the connection ends. */
  readonly onRefused: (text: string) => void
  readonly onClosed: () => void
}

/** A stream over RSocket, as the public client opens it. */
export interface StreamSocket {
  destroy(): void
  /** Asks for no further lines. */
  pause(): void
  resume(): void
}

/** Lines that the device asks for at once, as the public client does. */
const ASKED = 10

export function openStreamSocket(options: StreamSocketOptions): StreamSocket {
  const socket = new WebSocket(`${options.url.replace(/^http/, 'ws')}/sync/stream`)
  let asked = ASKED
  let isPaused = false

  function askForMore(): void {
    if (isPaused || asked >= ASKED || socket.readyState !== WebSocket.OPEN) return
    socket.send(frame(1, 8, 0, number(ASKED - asked, 4)))
    asked = ASKED
  }

  socket.on('open', () => {
    const json = 'application/json'
    const types = [json, json].flatMap((type) => [number(type.length, 1), Buffer.from(type)])
    const fields = [number(1, 2), number(0, 2), number(20_000, 4), number(90_000, 4), ...types]
    socket.send(frame(0, 1, 0x100, ...fields, ...payload(JSON.stringify({ token: `Token ${options.token}` }), '')))
    socket.send(frame(1, 6, 0x100, number(ASKED, 4), ...payload('{"path":"/sync/stream"}', options.body)))
  })
  socket.on('message', (message: Buffer) => {
    const type = message.readUInt16BE(4)
    if (type === 0x0a * 1_024 + 0x20) {
      asked--
      options.onLine(message.subarray(6))
      askForMore()
      return
    }
    if (type >> 10 === 0x0b) options.onRefused(message.toString('utf8', 10))
    socket.close()
  })
  socket.on('error', (error) => options.onRefused(error.message))
  socket.on('close', options.onClosed)
  return {
    destroy: () => socket.terminate(),
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      askForMore()
    },
  }
}

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

function payload(metadata: string, data: string): readonly Buffer[] {
  return [number(Buffer.byteLength(metadata), 3), Buffer.from(metadata), Buffer.from(data)]
}

function frame(streamId: number, type: number, flags: number, ...fields: readonly Buffer[]): Buffer {
  return Buffer.concat([number(streamId, 4), number(type * 1_024 + flags, 2), ...fields])
}
