// oxlint-disable-next-line typescript/triple-slash-reference -- the package has no types, and those here are for whoever compiles this file
/// <reference path="./http-ece.d.ts" />
import { createECDH, randomBytes } from 'node:crypto'
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { errorMessage } from '@holdfast/foundation'
import type { createAddressPolicy } from '@holdfast/functions'
import { ANSWER_MS, KEPT_SECONDS } from './limits.ts'
import type { PushDevice } from './queue.ts'

/** Result of sending to one device. */
export type PushOutcome =
  | 'taken'
  /** The device no longer accepts messages, or never could: RFC 8030, and invalid keys. */
  | 'gone'
  | 'failed'

export interface PostMessageOptions {
  readonly addressPolicy: ReturnType<typeof createAddressPolicy>
  /** Hosts that may use HTTP. */
  readonly allow: readonly string[]
  readonly authorize: (endpoint: URL) => Promise<string>
  /** Receives the reason without the URL, which is a secret of the device. */
  readonly onRefused: (host: string, reason: string) => void
}

/** Sends an encrypted message to a device. Never rejects; an abort ends it as a failure. */
export type PostMessage = (device: PushDevice, message: string, signal: AbortSignal) => Promise<PushOutcome>

/** Statuses for subscriptions that are permanently unusable. 401 and 403: created for another server key. */
const GONE: ReadonlySet<number> = new Set([400, 401, 403, 404, 410])

/** Sends by RFC 8030, encrypted as in RFC 8291. Does not follow redirects, and reads only the response's status. */
export function createPostMessage({ addressPolicy, allow, authorize, onRefused }: PostMessageOptions): PostMessage {
  return async (device, message, stopping) => {
    const url = URL.parse(device.endpoint)
    if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && allow.includes(url.host)))) {
      onRefused(url?.host ?? '', 'the address is not one of HTTPS')
      return 'gone'
    }
    let body: Buffer
    try {
      addressPolicy.check(url)
      body = await encrypt(device, message)
    } catch (error) {
      onRefused(url.host, errorMessage(error))
      return 'gone'
    }
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)])
      const status = await post(url, body, await authorize(url), signal)
      if (status >= 200 && status < 300) return 'taken'
      onRefused(url.host, `answered ${status}`)
      return GONE.has(status) ? 'gone' : 'failed'
    } catch (error) {
      onRefused(url.host, errorMessage(error))
      return 'failed'
    }
  }

  function post(url: URL, body: Buffer, authorization: string, signal: AbortSignal): Promise<number> {
    // Loaded on demand, because loading is slow and a start does not need it.
    const start = url.protocol === 'http:' ? requestHttp : process.getBuiltinModule('node:https').request
    return new Promise((resolve, reject) => {
      const sent: ClientRequest = start(
        url,
        {
          method: 'POST',
          agent: false,
          lookup: addressPolicy.lookupFor(url),
          signal,
          headers: {
            authorization,
            'content-type': 'application/octet-stream',
            'content-encoding': 'aes128gcm',
            'content-length': body.length,
            ttl: String(KEPT_SECONDS),
            urgency: 'normal',
          },
        },
        (response: IncomingMessage) => {
          resolve(response.statusCode ?? 0)
          response.destroy()
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

/** @throws if the device's keys are invalid */
async function encrypt({ publicKey, secret }: PushDevice, message: string): Promise<Buffer> {
  // Loaded on demand, because few servers send notifications.
  const { encrypt: encode } = await import('http_ece')
  const own = createECDH('prime256v1')
  own.generateKeys()
  return encode(Buffer.from(message, 'utf8'), {
    version: 'aes128gcm',
    dh: publicKey,
    authSecret: secret,
    privateKey: own,
    salt: randomBytes(16).toString('base64url'),
  })
}
