import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Server } from 'node:https'
import { isIP } from 'node:net'
import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'

/** Paths of a certificate and its private key in PEM. */
export interface TlsFiles {
  /** Server certificate followed by intermediates, like the `fullchain.pem` of ACME clients. */
  readonly certFile: string
  /** Without passphrase. */
  readonly keyFile: string
}

/** A certificate with its private key. */
export interface TlsIdentity {
  readonly cert: Buffer
  readonly key: Buffer
  readonly validTo: Date
  /** Changes with the files, even behind symbolic links, as created by ACME clients. */
  readonly mark: string
}

/** Poll interval in ms. Two polls must agree, because the files are copied one after the other. */
const LOOK_MS = 10_000

/** Time in ms before expiry by which a certificate should have been renewed: ACME clients renew a month before. */
const RENEWAL_MS = 14 * 24 * 60 * 60 * 1_000

/** Interval in ms between reminders. */
const REMINDER_MS = 24 * 60 * 60 * 1_000

/**
 * Reads both files and checks that they match.
 *
 * @throws {HoldfastError} `tls_files_unreadable`, `tls_files_invalid`
 */
export function readTlsIdentity({ certFile, keyFile }: TlsFiles): TlsIdentity {
  const mark = markOf({ certFile, keyFile })
  const [cert, key] = [readPem(certFile), readPem(keyFile)]
  try {
    const certificate = new X509Certificate(cert)
    if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error('the key is that of another certificate')
    // Also reads the intermediates. Imported on demand, because it is slow to load and most servers are behind a proxy.
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key })
    return { cert, key, validTo: certificate.validToDate, mark }
  } catch (error) {
    throw new HoldfastError(
      'tls_files_invalid',
      500,
      `${certFile} and ${keyFile} are not a certificate and its private key.`,
      { detail: errorMessage(error), hint: 'Both have to be PEM, and the key without a passphrase.' },
    )
  }
}

/**
 * Chooses the host for URLs covered by a certificate: the listening host if included, otherwise its first name.
 *
 * @returns `undefined` if the certificate names no usable host
 * @throws {HoldfastError} `tls_files_unreadable`, `tls_files_invalid`
 */
export function certifiedHost(certFile: string, host: string): string | undefined {
  const certificate = parseCertificate(certFile)
  const listened = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)
  if (listened !== undefined) return host
  const names = (certificate.subjectAltName ?? '').split(', ').flatMap((name) => /^DNS:([^*]+)$/.exec(name)?.[1] ?? [])
  return names[0]
}

/** Returns the advice for a certificate close to expiry. @returns `undefined` if there is time */
export function reminderOf(validTo: Date, now = Date.now()): string | undefined {
  const leftMs = validTo.getTime() - now
  if (leftMs > RENEWAL_MS) return undefined
  const day = validTo.toISOString().slice(0, 10)
  return leftMs <= 0 ? `the TLS certificate ended on ${day}` : `the TLS certificate ends on ${day}`
}

/** Returns a certificate's expiry. @throws {HoldfastError} `tls_files_unreadable`, `tls_files_invalid` */
export function endOfCertificate(certFile: string): Date {
  return parseCertificate(certFile).validToDate
}

/**
 * Reloads renewed files once both exist and match; open connections keep their certificate. Logs unusable files once per change, keeping the old certificate.
 *
 * @param identity - currently in use
 * @returns stops watching
 */
export function followTlsFiles(
  server: Pick<Server, 'setSecureContext'>,
  files: TlsFiles,
  identity: Pick<TlsIdentity, 'validTo' | 'mark'>,
  logger: Logger,
  lookMs = LOOK_MS,
): () => void {
  let [end, remindedAt] = [identity.validTo, 0]
  let used = identity.mark
  let seen = used

  function look(): void {
    const mark = markOf(files)
    if (mark === seen && mark !== used) {
      used = mark
      try {
        const { cert, key, validTo } = readTlsIdentity(files)
        server.setSecureContext({ cert, key })
        end = validTo
        remindedAt = 0
        logger.log('info', 'reads a new TLS certificate', { validTo: end.toISOString() })
      } catch (error) {
        const detail = error instanceof HoldfastError ? error.detail : undefined
        logger.log('warn', 'keeps the former TLS certificate', { cause: errorMessage(error), detail })
      }
    }
    seen = mark
    const reminder = reminderOf(end)
    if (reminder === undefined || Date.now() - remindedAt < REMINDER_MS) return
    remindedAt = Date.now()
    logger.log('warn', reminder, { file: files.certFile })
  }

  look()
  const looking = setInterval(look, lookMs).unref()
  return () => clearInterval(looking)
}

function markOf({ certFile, keyFile }: TlsFiles): string {
  const marks = [certFile, keyFile].map((path) => {
    try {
      const { ino, size, mtimeMs } = statSync(path)
      return `${ino}:${size}:${mtimeMs}`
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'gone' // reading the file reports details
    }
  })
  return marks.join(' ')
}

function parseCertificate(certFile: string): X509Certificate {
  try {
    return new X509Certificate(readPem(certFile))
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    throw new HoldfastError('tls_files_invalid', 500, `${certFile} is not a certificate.`, {
      detail: errorMessage(error),
      hint: 'It has to be PEM.',
    })
  }
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new HoldfastError('tls_files_unreadable', 500, `${path} cannot be read, which TLS needs.`, {
      detail: errorMessage(error),
      hint: 'Check --tls-cert-file and --tls-key-file, and who may read the files.',
    })
  }
}
