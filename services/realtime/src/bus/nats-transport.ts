import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node'
import { delay, errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import {
  BUS_CLOSE_PATIENCE_MS,
  BUS_STORED_BYTES_MAX,
  BUS_WAITING_BYTES_MAX,
  NATS_CONNECT_MS,
  NATS_PING_MS,
  NATS_RETRY_MS,
} from '../limits.ts'
import type { OpenTransport, Transport, TransportEvents } from './transport.ts'

/** Frame size limit in bytes; below the default `max_payload` of NATS servers. */
const FRAME_BYTES_MAX = BUS_STORED_BYTES_MAX / 2

export interface NatsTransportOptions {
  /** Addresses separated by commas: `nats://user:password@host:4222,nats://other:4222`; `tls://` for TLS. */
  readonly url: string
  /** The same on all nodes, and unguessable. */
  readonly subject: string
  readonly logger: Logger
}

/** Carries frames by NATS. Connects in the background if it is unreachable; until then nothing is sent. */
export function natsTransport(options: NatsTransportOptions): OpenTransport {
  const servers = parseNatsUrl(options.url)
  return async (events) => {
    const transport = new NatsTransport(options, servers, events)
    await Promise.race([transport.connected, delay(NATS_CONNECT_MS)])
    return transport
  }
}

class NatsTransport implements Transport {
  readonly connected: Promise<void>
  readonly #options: NatsTransportOptions
  readonly #events: TransportEvents
  readonly #stopping = new AbortController()
  #connection: NatsConnection | undefined
  #isConnected = false
  /** Bytes that the server has not confirmed to have read. */
  #unread = 0
  #flushing: Promise<void> | undefined

  constructor(options: NatsTransportOptions, servers: ConnectionOptions, events: TransportEvents) {
    this.#options = options
    this.#events = events
    this.connected = this.#connect(servers)
  }

  get frameBytesMax(): number {
    return Math.min(FRAME_BYTES_MAX, this.#connection?.info?.max_payload ?? FRAME_BYTES_MAX)
  }

  send(frame: Buffer): boolean {
    if (!this.#connection || !this.#isConnected || this.#unread + frame.length > BUS_WAITING_BYTES_MAX) return false
    this.#connection.publish(this.#options.subject, frame)
    this.#unread += frame.length
    this.#flushing ??= this.#flush(this.#connection).finally(() => (this.#flushing = undefined))
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.race([this.#flushing, delay(BUS_CLOSE_PATIENCE_MS)])
    this.#stopping.abort()
    await this.#connection?.close()
    await this.connected
  }

  async #connect(servers: ConnectionOptions): Promise<void> {
    const { subject, logger } = this.#options
    for (let attempt = 0; !this.#stopping.signal.aborted; attempt++) {
      try {
        const connection = await connect(servers)
        connection.subscribe(subject, {
          callback: (error, { data }) => {
            if (!error) this.#events.onFrame(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
          },
        })
        // The subscription is effective before anything is published.
        await connection.flush()
        this.#connection = connection
        this.#isConnected = true
        void this.#watch(connection)
        if (this.#stopping.signal.aborted) await connection.close()
        else if (attempt > 0) this.#events.onResumed()
        return
      } catch (error) {
        const message = 'NATS cannot be reached; channels of other servers are not until then'
        logger.log(attempt === 0 ? 'warn' : 'debug', message, { error: errorMessage(error) })
        await delay(NATS_RETRY_MS, this.#stopping.signal).catch(() => undefined) // ends the loop
      }
    }
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') {
        this.#isConnected = false
        this.#unread = 0
        this.#options.logger.log('warn', 'the connection to NATS was lost; it is opened again')
      } else if (type === 'reconnect') {
        this.#isConnected = true
        this.#events.onResumed()
      }
    }
  }

  /** Counts what the server has read. */
  async #flush(connection: NatsConnection): Promise<void> {
    while (this.#isConnected && this.#unread > 0) {
      const bytes = this.#unread
      try {
        await connection.flush()
      } catch {
        return // disconnected, which is watched
      }
      this.#unread = Math.max(0, this.#unread - bytes)
    }
  }
}

/** @throws {HoldfastError} `option_invalid` */
export function parseNatsUrl(text: string): ConnectionOptions {
  const urls = text.split(',').map((part) => (URL.canParse(part.trim()) ? new URL(part.trim()) : undefined))
  const [first] = urls
  const isValid = urls.every((url) => url && url.hostname !== '' && ['nats:', 'tls:'].includes(url.protocol))
  if (!first || !isValid)
    throw new HoldfastError('option_invalid', 500, 'NATS_URL is not an address of NATS.', {
      hint: 'Write nats://host:4222, or tls://user:password@host:4222; several with commas between them.',
    })
  const [user, pass] = [decodeURIComponent(first.username), decodeURIComponent(first.password)]
  return {
    servers: urls.map((url) => `${url?.hostname}:${url?.port || 4222}`),
    ...(user !== '' && (pass === '' ? { token: user } : { user, pass })),
    ...(first.protocol === 'tls:' && { tls: {} }),
    name: 'holdfast',
    noEcho: true,
    timeout: NATS_CONNECT_MS,
    pingInterval: NATS_PING_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: NATS_RETRY_MS,
  }
}
