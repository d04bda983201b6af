import { certifiedHost, type TlsFiles } from '@holdfast/http'
import { HoldfastError } from '@holdfast/foundation'
import type { Config } from './options.ts'

type Place = Pick<Config, 'externalUrl' | 'host' | 'tlsCertFile' | 'tlsKeyFile'>

/**
 * The address by which a server is reached, without a slash at the end: the one that is set, else that of its certificate, else where it listens.
 *
 * @param port - that it listens on
 * @throws {HoldfastError} those of `certifiedHost`
 */
export function baseUrlOf({ externalUrl, host, tlsCertFile }: Place, port: number): string {
  if (externalUrl !== undefined) return externalUrl.replace(/\/+$/, '')
  if (tlsCertFile === undefined) return `http://${urlHost(host)}:${port}`
  const name = certifiedHost(tlsCertFile, host) ?? host
  return `https://${urlHost(name)}${port === 443 ? '' : `:${port}`}`
}

/** @throws {HoldfastError} `option_invalid` when one file is named without the other */
export function tlsFilesOf({ tlsCertFile, tlsKeyFile }: Place): TlsFiles | undefined {
  if (tlsCertFile !== undefined && tlsKeyFile !== undefined) return { certFile: tlsCertFile, keyFile: tlsKeyFile }
  if (tlsCertFile === undefined && tlsKeyFile === undefined) return undefined
  const [given, missing] =
    tlsCertFile === undefined ? ['--tls-key-file', '--tls-cert-file'] : ['--tls-cert-file', '--tls-key-file']
  throw new HoldfastError('option_invalid', 500, `${given} needs ${missing}.`, {
    hint: 'TLS needs the certificate and its private key.',
  })
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
