import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import { STALLED_READER_MS } from '../limits.ts'
import { replacedByNewer } from '../stream/connections.ts'
import { describeDevice } from '../stream/device-description.ts'
import type { StreamServer, Transport, TransportEvents } from '../stream/serve-stream.ts'
import { decodeFrame, encodeError, encodeKeepalive, ERROR_CODE, FrameError, type ClientFrame } from './frames.ts'
import {
  CLOSING_MS,
  KEEPALIVE_BYTES_MAX,
  MESSAGES_PER_SECOND_MAX,
  OPENING_MS,
  SETUP_BYTES_MAX,
  SILENCE_MS,
} from './limits.ts'
import { Outgoing } from './outgoing.ts'
import { SocketSink, type FrameChannel } from './socket-sink.ts'

const JSON_TYPE = 'application/json'
const STREAM_PATH = '/sync/stream'

export interface DeviceSocketOptions {
  readonly server: StreamServer
  /**
   * Identifies a device.
   *
   * @param authorization - like the header: `Token …` or `Bearer …`
   * @throws {HoldfastError} the refusal in the PowerSync service's vocabulary
   */
  readonly readCaller: (authorization: string) => Promise<Caller>
  /** Decodes a request's JSON, large ones in turn by user. Rejects if `isAbandoned` when its turn comes. */
  readonly decode: (body: Buffer, userId: string, isAbandoned: () => boolean) => Promise<unknown>
  /** In ms; a test decides it. */
  readonly now: () => number
  readonly logger: Logger
}

/** A connected WebSocket. */
export interface Connected {
  readonly webSocket: WebSocket
  readonly socket: Duplex
  /** Id of its request, for the log. */
  readonly id: string
  readonly address: string
  /** Called when its stream is admitted. */
  readonly onOpened: () => void
  readonly onClosed: () => void
}

interface Setup {
  /** Rejects with the refusal of the token. */
  readonly caller: Promise<Caller>
  readonly userAgent: string
  readonly silenceMs: number
}

interface Phase {
  /** `waiting` for SETUP or the request of the device; `working` on its token or request, which takes the server as long as it takes. */
  readonly kind: 'waiting' | 'working' | 'streaming' | 'closing'
  readonly sinceMs: number
}

/**
 * One device's WebSocket, which carries one stream: SETUP with the token, REQUEST_STREAM with the request, then payloads. Every refusal is an ERROR frame with
 * the text `[code] message`, which the public client shows as `downloadError`.
 */
export class DeviceSocket implements FrameChannel {
  readonly #options: DeviceSocketOptions
  readonly #connected: Connected
  #phase: Phase
  #setup: Setup | undefined
  #sink: SocketSink | undefined
  #streamId = 0
  #events: TransportEvents | undefined
  #heardMs: number
  #messages = 0
  readonly #outgoing: Outgoing

  constructor(options: DeviceSocketOptions, connected: Connected) {
    const { webSocket, socket } = connected
    this.#options = options
    this.#connected = connected
    this.#heardMs = options.now()
    this.#phase = { kind: 'waiting', sinceMs: this.#heardMs }
    this.#outgoing = new Outgoing(webSocket, socket)
    webSocket.on('message', (data: Buffer, isBinary) => this.#read(data, isBinary))
    webSocket.on('error', (error) =>
      options.logger.log('debug', 'a WebSocket of a device failed', {
        request: connected.id,
        reason: errorMessage(error),
      }),
    )
    webSocket.once('close', () => {
      this.#outgoing.closed()
      this.#sink?.stop()
      this.#events?.onClosed()
      connected.onClosed()
    })
  }

  send(frame: Buffer): void {
    this.#outgoing.send(frame)
  }

  room(): Promise<void> | undefined {
    return this.#outgoing.room()
  }

  finish(frame: Buffer): void {
    if (this.#phase.kind === 'closing') return
    this.#enter('closing')
    this.#outgoing.send(frame)
  }

  terminate(): void {
    this.#connected.webSocket.terminate()
  }

  /** Ends a connection whose device has no stream yet; a stream ends through its session. */
  stop(): void {
    if (this.#phase.kind !== 'streaming')
      this.#end(0, ERROR_CODE.connectionError, '[PSYNC_S2003] The server is shutting down')
  }

  /** Looks for a silent device, a late request, a stalled reader and slow closing. */
  sweep(nowMs: number): void {
    if (this.#messages > MESSAGES_PER_SECOND_MAX) this.#connected.webSocket.resume()
    this.#messages = 0
    const { kind, sinceMs } = this.#phase
    const isLate =
      (kind === 'waiting' && nowMs - sinceMs > OPENING_MS) ||
      (kind === 'closing' && nowMs - sinceMs > CLOSING_MS) ||
      (kind === 'streaming' && nowMs - this.#heardMs > (this.#setup?.silenceMs ?? SILENCE_MS.max))
    const isStalled = kind === 'streaming' && nowMs - (this.#sink?.waitsSinceMs ?? nowMs) > STALLED_READER_MS
    if (isStalled) this.#events?.onStalled()
    if (isLate || isStalled) this.terminate()
  }

  #enter(kind: Phase['kind']): void {
    this.#phase = { kind, sinceMs: this.#options.now() }
  }

  #read(data: Buffer, isBinary: boolean): void {
    this.#heardMs = this.#options.now()
    if (this.#phase.kind === 'closing') return
    if (++this.#messages === MESSAGES_PER_SECOND_MAX + 1) this.#connected.webSocket.pause()
    try {
      if (!isBinary) throw new FrameError(ERROR_CODE.connectionError, 'A frame must be a binary message')
      this.#handle(decodeFrame(data), data.length)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.#end(0, error.code, error.message)
    }
  }

  #handle(frame: ClientFrame, bytes: number): void {
    if (frame.kind !== 'setup' && !this.#setup)
      throw new FrameError(ERROR_CODE.invalidSetup, 'The first frame must be SETUP')
    switch (frame.kind) {
      case 'setup':
        this.#setUp(frame, bytes)
        return
      case 'keepalive':
        if (frame.data.length > KEEPALIVE_BYTES_MAX)
          throw new FrameError(ERROR_CODE.connectionError, 'A keepalive has too much data')
        if (frame.wantsReply) this.#outgoing.reply(encodeKeepalive(frame.data))
        return
      case 'request stream':
        this.#request(frame)
        return
      case 'request n':
        if (frame.streamId === this.#streamId) this.#sink?.request(frame.requestN)
        return
      case 'cancel':
      case 'error':
        if (frame.streamId === this.#streamId || frame.streamId === 0) this.terminate()
        return
      case 'other request':
        this.#outgoing.reply(encodeError(frame.streamId, ERROR_CODE.rejected, '[PSYNC_S2002] Only streams are served'))
        return
      case 'none':
        return
    }
  }

  #setUp(frame: ClientFrame & { readonly kind: 'setup' }, bytes: number): void {
    if (this.#setup) throw new FrameError(ERROR_CODE.connectionError, 'SETUP must be the first frame')
    if (bytes > SETUP_BYTES_MAX) throw new FrameError(ERROR_CODE.invalidSetup, 'SETUP is too large')
    if (frame.metadataType !== JSON_TYPE || frame.dataType !== JSON_TYPE)
      throw new FrameError(
        ERROR_CODE.unsupportedSetup,
        `[PSYNC_S2004] Data and metadata must be ${JSON_TYPE}, not ${frame.dataType} and ${frame.metadataType}`,
      )
    const { token, user_agent: userAgent } = objectOf(parseJson(frame.metadata))
    const { webSocket } = this.#connected
    const caller = this.#options.readCaller(typeof token === 'string' ? token : '')
    // The request, which may be large, is read after the token.
    webSocket.pause()
    this.#enter('working')
    const proceed = (): void => {
      webSocket.resume()
      if (this.#phase.kind === 'working' && this.#streamId === 0) this.#enter('waiting')
    }
    caller.then(proceed, proceed)
    this.#setup = {
      caller,
      userAgent: typeof userAgent === 'string' ? userAgent : '',
      silenceMs: Math.min(SILENCE_MS.max, Math.max(SILENCE_MS.min, frame.lifetimeMs)),
    }
  }

  #request({ streamId, requestN, metadata, data }: ClientFrame & { readonly kind: 'request stream' }): void {
    if (this.#streamId !== 0) {
      const reason = '[PSYNC_S2304] A connection has one stream: open another connection'
      this.#outgoing.reply(encodeError(streamId, ERROR_CODE.rejected, reason))
      return
    }
    this.#streamId = streamId
    this.#enter('working')
    const sink = new SocketSink(this, streamId, requestN, this.#options.now)
    this.#sink = sink
    const setup = this.#setup as Setup
    void this.#serve(setup, sink, metadata, data).catch((error: unknown) => {
      if (!(error instanceof HoldfastError))
        this.#options.logger.log('error', 'a sync request failed', {
          request: this.#connected.id,
          reason: errorMessage(error),
        })
      const refusal =
        error instanceof HoldfastError ? `[${error.code}] ${error.message}` : '[PSYNC_S2001] Internal server error'
      this.#end(streamId, ERROR_CODE.applicationError, refusal)
    })
  }

  async #serve(
    { caller: identified, userAgent }: Setup,
    sink: SocketSink,
    metadata: Buffer,
    data: Buffer,
  ): Promise<void> {
    const { server, decode } = this.#options
    const { id, address, onOpened } = this.#connected
    const caller = await identified
    const { path } = objectOf(parseJson(metadata))
    if (path !== STREAM_PATH) throw new HoldfastError('PSYNC_S2002', 404, 'The path does not exist on this server')
    const body = await decode(data, caller.userId ?? address, () => this.#outgoing.isClosed)
    if (this.#outgoing.isClosed) return
    const admitted = server.admit(caller, body)
    const device = describeDevice({ 'x-user-agent': userAgent }, admitted.body.app_metadata, address)
    this.#enter('streaming')
    onOpened()
    server.serve(admitted, id, device, (events) => this.#open(sink, events))
  }

  #open(sink: SocketSink, events: TransportEvents): Transport {
    this.#events = events
    const outgoing = this.#outgoing
    return {
      sink,
      get isClosed() {
        return outgoing.isClosed
      },
      ending: (reason) => {
        sink.stop()
        // Discards unread lines: the device reads the newer stream instead.
        if (reason === replacedByNewer && outgoing.room()) this.terminate()
      },
    }
  }

  /** Refuses the stream, or the connection (stream 0). */
  #end(streamId: number, code: number, message: string): void {
    if (this.#phase.kind === 'closing') return
    this.finish(encodeError(streamId, code, message))
    this.#sink?.stop()
    this.#events?.onClosed()
    this.#connected.webSocket.close(streamId === 0 ? 1002 : 1000)
  }
}

/** Parses metadata. @returns `undefined` for anything but JSON */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
