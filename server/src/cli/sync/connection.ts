import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as tls from 'node:tls'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import { baseUrlOf } from '../../config/base-url.ts'
import { readSigningSecret } from '../../config/jwt-secret.ts'
import type { InspectConfig } from '../../config/options.ts'
import { readRunning, type RunningServer } from '../../running-file.ts'

/** Error codes for rejected certificates. @see https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE_CODES =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** A connection to a running server with the service key. */
export interface Connection {
  /** Without trailing slash. */
  readonly url: string
  /** @throws {HoldfastError} the server's refusal, `server_unreachable` */
  request(path: string, init?: { readonly method?: string; readonly body?: unknown }): Promise<Response>
  json<Answer>(path: string, init?: { readonly method?: string; readonly body?: unknown }): Promise<Answer>
}

/** Lifetime in seconds of a key created for one command. */
const KEY_LIFETIME_S = 600

/**
 * Connects to the server of `--url`, of the data folder, or of the settings.
 *
 * @param role - for a key created here
 * @throws {HoldfastError} `service_key_missing`
 */
export function connectTo(config: InspectConfig, role: 'service_role' | 'authenticated' = 'service_role'): Connection {
  const running = readRunning(resolve(config.dataDir))
  const url = (config.url ?? running?.ready.base ?? baseUrlOf(config, config.port)).replace(/\/+$/, '')
  const key = config.serviceKey ?? mintKey(config, role, config.url === undefined ? running : undefined)
  if (config.url === undefined) trustCertificateOf(running)

  async function request(
    path: string,
    { method = 'GET', body }: { readonly method?: string; readonly body?: unknown } = {},
  ): Promise<Response> {
    const response = await send(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw await refusal(response)
    return response
  }

  return {
    url,
    request,
    json: async <Answer>(path: string, init?: { readonly method?: string; readonly body?: unknown }) =>
      (await (await request(path, init)).json()) as Answer,
  }
}

/** Trusts the certificate of a local server, which may be self-signed; the data folder identifies it. */
export function trustCertificateOf(running: RunningServer | undefined): void {
  // Without its file, a certificate is verified as usual.
  if (running?.certFile === undefined || !existsSync(running.certFile)) return
  // Node before 24.5 lacks this; the error message suggests NODE_EXTRA_CA_CERTS.
  if (!('setDefaultCACertificates' in tls)) return
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(running.certFile, 'utf8')])
}

/** @throws {HoldfastError} `server_unreachable`, `certificate_refused` */
export async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw explainUnreachable(url, error)
  }
}

/** Converts the server's error response. */
export async function refusal(response: Response): Promise<HoldfastError> {
  const text = await response.text()
  const error = readError(text)
  const hint =
    response.status === 401 || response.status === 403
      ? 'Is the key that of this server? Set --service-key or HOLDFAST_SERVICE_KEY, or --data-dir.'
      : error?.hint
  return new HoldfastError(
    error?.code ?? 'server_refused',
    response.status,
    error?.description ?? `The server answered ${response.status}: ${text.slice(0, 200)}`,
    { hint },
  )
}

function readError(
  text: string,
): { readonly code?: string; readonly description?: string; readonly hint?: string } | undefined {
  try {
    const answer = JSON.parse(text) as {
      readonly error?: { readonly code?: string; readonly description?: string; readonly hint?: string }
      readonly error_code?: string
      readonly msg?: string
    }
    // The auth service uses its own field names.
    return (
      answer.error ?? {
        ...(answer.error_code && { code: answer.error_code }),
        ...(answer.msg && { description: answer.msg }),
      }
    )
  } catch {
    return undefined // not from this server
  }
}

/** Creates a key with the running server's secret, otherwise the configured or stored one. */
function mintKey(config: InspectConfig, role: string, running: RunningServer | undefined): string {
  // The running server may have been started with a different secret.
  const secret = readSigningSecret(running?.ready.jwtSecret ?? config.jwtSecret, config.dataDir)
  if (secret === undefined) {
    throw new HoldfastError('service_key_missing', 500, 'There is no service key to ask the server with.', {
      hint: `The first "holdfast start" makes it; ${config.dataDir} has none yet. For a server elsewhere set HOLDFAST_SERVICE_KEY, or --data-dir to its folder.`,
    })
  }
  const nowS = Math.floor(Date.now() / 1000)
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = { iss: 'supabase', role, iat: nowS, exp: nowS + KEY_LIFETIME_S }
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** Explains an unreachable server from `fetch`'s error. */
function explainUnreachable(url: string, error: unknown): HoldfastError {
  const cause = (error as Error).cause ?? error
  const code = (cause as NodeJS.ErrnoException).code ?? ''
  const { origin, hostname } = new URL(url)
  const details = { detail: errorMessage(cause), cause: error }
  if (CERTIFICATE_CODES.test(code))
    return new HoldfastError('certificate_refused', 500, `${origin} answers with a certificate that is not trusted.`, {
      ...details,
      hint: 'Name the certificate, or that of its authority, in NODE_EXTRA_CA_CERTS; or run the command where the server runs, with its --data-dir.',
    })
  const hint =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? `No machine is known as ${hostname}: check --url.`
      : code.startsWith('ERR_SSL_') || code === 'EPROTO'
        ? 'What listens there does not speak TLS: try http:// with --url.'
        : code === 'UND_ERR_SOCKET' || code === 'ECONNRESET'
          ? 'What listens there closed the connection: check --url, and whether it begins with http:// or https://.'
          : 'Start Holdfast first, or tell its address with --url.'
  return new HoldfastError('server_unreachable', 500, `There is no answer from ${origin}.`, { ...details, hint })
}
